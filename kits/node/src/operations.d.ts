// Written by kits/generate.py from /openapi.json: change that, not this.

import type { CallOptions, Result } from "./client.js";

export declare const PATHS: Record<keyof Operations, string>;

export interface Operations {
  /** PAN: `POST /v1/verify/identity/pan`. */
  verifyIdentityPan(body: VerifyIdentityPanRequest, options?: CallOptions): Promise<Result<VerifyIdentityPanData>>;
  /** Driving licence: `POST /v1/verify/identity/dl`. */
  verifyIdentityDl(body: VerifyIdentityDlRequest, options?: CallOptions): Promise<Result<VerifyIdentityDlData>>;
  /** Voter card: `POST /v1/verify/identity/voter`. */
  verifyIdentityVoter(body: VerifyIdentityVoterRequest, options?: CallOptions): Promise<Result<VerifyIdentityVoterData>>;
  /** Passport: `POST /v1/verify/identity/passport`. */
  verifyIdentityPassport(body: VerifyIdentityPassportRequest, options?: CallOptions): Promise<Result<VerifyIdentityPassportData>>;
  /** Face liveness: `POST /v1/verify/identity/face-liveness`. */
  verifyIdentityFaceLiveness(body: VerifyIdentityFaceLivenessRequest, options?: CallOptions): Promise<Result<VerifyIdentityFaceLivenessData>>;
  /** Face match: `POST /v1/verify/identity/face-match`. */
  verifyIdentityFaceMatch(body: VerifyIdentityFaceMatchRequest, options?: CallOptions): Promise<Result<VerifyIdentityFaceMatchData>>;
  /** Mobile OTP: start: `POST /v1/verify/identity/mobile-otp/start`. */
  verifyIdentityMobileOtpStart(body: VerifyIdentityMobileOtpStartRequest, options?: CallOptions): Promise<Result<VerifyIdentityMobileOtpStartData>>;
  /** Mobile OTP: verify: `POST /v1/verify/identity/mobile-otp/verify`. */
  verifyIdentityMobileOtpVerify(body: VerifyIdentityMobileOtpVerifyRequest, options?: CallOptions): Promise<Result<VerifyIdentityMobileOtpVerifyData>>;
  /** Mobile OTP: fetch: `POST /v1/verify/identity/mobile-otp/fetch`. */
  verifyIdentityMobileOtpFetch(body: VerifyIdentityMobileOtpFetchRequest, options?: CallOptions): Promise<Result<VerifyIdentityMobileOtpFetchData>>;
  /** Mobile OTP silent: start: `POST /v1/verify/identity/mobile-otp-s/start`. */
  verifyIdentityMobileOtpSStart(body: VerifyIdentityMobileOtpSStartRequest, options?: CallOptions): Promise<Result<VerifyIdentityMobileOtpSStartData>>;
  /** Mobile OTP silent: fetch: `POST /v1/verify/identity/mobile-otp-s/fetch`. */
  verifyIdentityMobileOtpSFetch(body: VerifyIdentityMobileOtpSFetchRequest, options?: CallOptions): Promise<Result<VerifyIdentityMobileOtpSFetchData>>;
  /** UAN look-up by mobile: `POST /v1/verify/employment/uan-lookup`. */
  verifyEmploymentUanLookup(body: VerifyEmploymentUanLookupRequest, options?: CallOptions): Promise<Result<VerifyEmploymentUanLookupData>>;
  /** Employment history by UAN: `POST /v1/verify/employment/uan`. */
  verifyEmploymentUan(body: VerifyEmploymentUanRequest, options?: CallOptions): Promise<Result<VerifyEmploymentUanData>>;
  /** EPFO establishment: `POST /v1/verify/employment/epfo-establishment`. */
  verifyEmploymentEpfoEstablishment(body: VerifyEmploymentEpfoEstablishmentRequest, options?: CallOptions): Promise<Result<VerifyEmploymentEpfoEstablishmentData>>;
  /** EPFO establishment by name: `POST /v1/verify/employment/epfo-name-search`. */
  verifyEmploymentEpfoNameSearch(body: VerifyEmploymentEpfoNameSearchRequest, options?: CallOptions): Promise<Result<VerifyEmploymentEpfoNameSearchData>>;
  /** CIN by company name: `POST /v1/verify/company/mca/cin-lookup`. */
  verifyCompanyMcaCinLookup(body: VerifyCompanyMcaCinLookupRequest, options?: CallOptions): Promise<Result<VerifyCompanyMcaCinLookupData>>;
  /** Company master data: `POST /v1/verify/company/mca/master`. */
  verifyCompanyMcaMaster(body: VerifyCompanyMcaMasterRequest, options?: CallOptions): Promise<Result<VerifyCompanyMcaMasterData>>;
  /** Directors of a company: `POST /v1/verify/company/mca/signatories`. */
  verifyCompanyMcaSignatories(body: VerifyCompanyMcaSignatoriesRequest, options?: CallOptions): Promise<Result<VerifyCompanyMcaSignatoriesData>>;
  /** CINs of a company name: `POST /v1/verify/company/mca/search`. */
  verifyCompanyMcaSearch(body: VerifyCompanyMcaSearchRequest, options?: CallOptions): Promise<Result<VerifyCompanyMcaSearchData>>;
  /** Director by DIN: `POST /v1/verify/company/roc/director`. */
  verifyCompanyRocDirector(body: VerifyCompanyRocDirectorRequest, options?: CallOptions): Promise<Result<VerifyCompanyRocDirectorData>>;
  /** TAN: `POST /v1/verify/company/tan`. */
  verifyCompanyTan(body: VerifyCompanyTanRequest, options?: CallOptions): Promise<Result<VerifyCompanyTanData>>;
  /** Udyam registration: `POST /v1/verify/company/udyam`. */
  verifyCompanyUdyam(body: VerifyCompanyUdyamRequest, options?: CallOptions): Promise<Result<VerifyCompanyUdyamData>>;
  /** Udyam registration: OTP confirmation: `POST /v1/verify/company/udyam/otp-confirm`. */
  verifyCompanyUdyamOtpConfirm(body: VerifyCompanyUdyamOtpConfirmRequest, options?: CallOptions): Promise<Result<VerifyCompanyUdyamOtpConfirmData>>;
  /** Importer-exporter code: `POST /v1/verify/company/iec`. */
  verifyCompanyIec(body: VerifyCompanyIecRequest, options?: CallOptions): Promise<Result<VerifyCompanyIecData>>;
  /** Shop and establishment registration: `POST /v1/verify/company/shop-establishment`. */
  verifyCompanyShopEstablishment(body: VerifyCompanyShopEstablishmentRequest, options?: CallOptions): Promise<Result<VerifyCompanyShopEstablishmentData>>;
  /** TIN: `POST /v1/verify/company/tin`. */
  verifyCompanyTin(body: VerifyCompanyTinRequest, options?: CallOptions): Promise<Result<VerifyCompanyTinData>>;
  /** GST registration: `POST /v1/verify/company/gst`. */
  verifyCompanyGst(body: VerifyCompanyGstRequest, options?: CallOptions): Promise<Result<VerifyCompanyGstData>>;
  /** GST registration with returns: `POST /v1/verify/company/gst-detailed`. */
  verifyCompanyGstDetailed(body: VerifyCompanyGstDetailedRequest, options?: CallOptions): Promise<Result<VerifyCompanyGstDetailedData>>;
  /** Chartered accountant: `POST /v1/verify/membership/ca`. */
  verifyMembershipCa(body: VerifyMembershipCaRequest, options?: CallOptions): Promise<Result<VerifyMembershipCaData>>;
  /** Company secretary: `POST /v1/verify/membership/cs`. */
  verifyMembershipCs(body: VerifyMembershipCsRequest, options?: CallOptions): Promise<Result<VerifyMembershipCsData>>;
  /** Cost accountant: `POST /v1/verify/membership/cma`. */
  verifyMembershipCma(body: VerifyMembershipCmaRequest, options?: CallOptions): Promise<Result<VerifyMembershipCmaData>>;
  /** E-mail address: `POST /v1/verify/contact/email`. */
  verifyContactEmail(body: VerifyContactEmailRequest, options?: CallOptions): Promise<Result<VerifyContactEmailData>>;
  /** Bank account, silent: `POST /v1/verify/financial/bank-account`. */
  verifyFinancialBankAccount(body: VerifyFinancialBankAccountRequest, options?: CallOptions): Promise<Result<VerifyFinancialBankAccountData>>;
  /** Dynamic bank validation: send: `POST /v1/verify/financial/bank-dynamic/send`. */
  verifyFinancialBankDynamicSend(body: VerifyFinancialBankDynamicSendRequest, options?: CallOptions): Promise<Result<VerifyFinancialBankDynamicSendData>>;
  /** Dynamic bank validation: verify: `POST /v1/verify/financial/bank-dynamic/verify`. */
  verifyFinancialBankDynamicVerify(body: VerifyFinancialBankDynamicVerifyRequest, options?: CallOptions): Promise<Result<VerifyFinancialBankDynamicVerifyData>>;
  /** Credit report: `POST /v1/verify/financial/credit-report`. */
  verifyFinancialCreditReport(body: VerifyFinancialCreditReportRequest, options?: CallOptions): Promise<Result<VerifyFinancialCreditReportData>>;
  /** IFSC: `POST /v1/verify/financial/ifsc`. */
  verifyFinancialIfsc(body: VerifyFinancialIfscRequest, options?: CallOptions): Promise<Result<VerifyFinancialIfscData>>;
  /** Bank account, hybrid: `POST /v1/verify/financial/bank-hybrid`. */
  verifyFinancialBankHybrid(body: VerifyFinancialBankHybridRequest, options?: CallOptions): Promise<Result<VerifyFinancialBankHybridData>>;
  /** Bank account V1: `POST /v1/verify/financial/bank-account-v1`. */
  verifyFinancialBankAccountV1(body: VerifyFinancialBankAccountV1Request, options?: CallOptions): Promise<Result<VerifyFinancialBankAccountV1Data>>;
  /** Bank account V1: status: `POST /v1/verify/financial/bank-account-v1/status`. */
  verifyFinancialBankAccountV1Status(body: VerifyFinancialBankAccountV1StatusRequest, options?: CallOptions): Promise<Result<VerifyFinancialBankAccountV1StatusData>>;
  /** Negative diligence: `POST /v1/screen/negative-diligence`. */
  screenNegativeDiligence(body: ScreenNegativeDiligenceRequest, options?: CallOptions): Promise<Result<ScreenNegativeDiligenceData>>;
  /** Revoked mobile numbers: `POST /v1/screen/mobile-mnrl`. */
  screenMobileMnrl(body: ScreenMobileMnrlRequest, options?: CallOptions): Promise<Result<ScreenMobileMnrlData>>;
  /** Mobile subscriber, silent: `POST /v1/screen/mobile-silent`. */
  screenMobileSilent(body: ScreenMobileSilentRequest, options?: CallOptions): Promise<Result<ScreenMobileSilentData>>;
  /** IP quality: `POST /v1/screen/ip-quality`. */
  screenIpQuality(body: ScreenIpQualityRequest, options?: CallOptions): Promise<Result<ScreenIpQualityData>>;
  /** E-mail fraud: `POST /v1/screen/email-fraud`. */
  screenEmailFraud(body: ScreenEmailFraudRequest, options?: CallOptions): Promise<Result<ScreenEmailFraudData>>;
  /** Court records: `POST /v1/screen/court-records`. */
  screenCourtRecords(body: ScreenCourtRecordsRequest, options?: CallOptions): Promise<Result<ScreenCourtRecordsData>>;
  /** Vehicle registration: `POST /v1/verify/utility/vehicle-rc`. */
  verifyUtilityVehicleRc(body: VerifyUtilityVehicleRcRequest, options?: CallOptions): Promise<Result<VerifyUtilityVehicleRcData>>;
  /** Vehicle by engine and chassis: `POST /v1/verify/utility/vehicle-rc-reverse`. */
  verifyUtilityVehicleRcReverse(body: VerifyUtilityVehicleRcReverseRequest, options?: CallOptions): Promise<Result<VerifyUtilityVehicleRcReverseData>>;
  /** FASTag: `POST /v1/verify/utility/fastag`. */
  verifyUtilityFastag(body: VerifyUtilityFastagRequest, options?: CallOptions): Promise<Result<VerifyUtilityFastagData>>;
  /** Electricity connection: `POST /v1/verify/utility/electricity`. */
  verifyUtilityElectricity(body: VerifyUtilityElectricityRequest, options?: CallOptions): Promise<Result<VerifyUtilityElectricityData>>;
  /** Property tax: `POST /v1/verify/utility/property-tax`. */
  verifyUtilityPropertyTax(body: VerifyUtilityPropertyTaxRequest, options?: CallOptions): Promise<Result<VerifyUtilityPropertyTaxData>>;
  /** Piped gas connection: `POST /v1/verify/utility/png`. */
  verifyUtilityPng(body: VerifyUtilityPngRequest, options?: CallOptions): Promise<Result<VerifyUtilityPngData>>;
  /** LPG connection: `POST /v1/verify/utility/lpg`. */
  verifyUtilityLpg(body: VerifyUtilityLpgRequest, options?: CallOptions): Promise<Result<VerifyUtilityLpgData>>;
  /** Document forgery: `POST /v1/verify/document/forgery`. */
  verifyDocumentForgery(body: VerifyDocumentForgeryRequest, options?: CallOptions): Promise<Result<VerifyDocumentForgeryData>>;
  /** Documents by consent: `POST /v1/verify/document/digilocker/start`. */
  verifyDocumentDigilocker(body: VerifyDocumentDigilockerRequest, options?: CallOptions): Promise<Result<VerifyDocumentDigilockerData>>;
  /** Identity document OCR: `POST /v1/verify/document/kyc-ocr`. */
  verifyDocumentKycOcr(body: VerifyDocumentKycOcrRequest, options?: CallOptions): Promise<Result<VerifyDocumentKycOcrData>>;
  /** Cheque OCR: `POST /v1/verify/document/cheque-ocr`. */
  verifyDocumentChequeOcr(body: VerifyDocumentChequeOcrRequest, options?: CallOptions): Promise<Result<VerifyDocumentChequeOcrData>>;
  /** Identity document OCR, several: `POST /v1/verify/document/kyc-ocr-s`. */
  verifyDocumentKycOcrS(body: VerifyDocumentKycOcrSRequest, options?: CallOptions): Promise<Result<VerifyDocumentKycOcrSData>>;
  /** Address of a point: `POST /v1/verify/address/geocode`. */
  verifyAddressGeocode(body: VerifyAddressGeocodeRequest, options?: CallOptions): Promise<Result<VerifyAddressGeocodeData>>;
  /** Geo-fence: `POST /v1/verify/address/geo-fence`. */
  verifyAddressGeoFence(body: VerifyAddressGeoFenceRequest, options?: CallOptions): Promise<Result<VerifyAddressGeoFenceData>>;
  /** Address match: `POST /v1/verify/address/match`. */
  verifyAddressMatch(body: VerifyAddressMatchRequest, options?: CallOptions): Promise<Result<VerifyAddressMatchData>>;
  /** Address split: `POST /v1/verify/address/split`. */
  verifyAddressSplit(body: VerifyAddressSplitRequest, options?: CallOptions): Promise<Result<VerifyAddressSplitData>>;
  /** Name match: `POST /v1/verify/name/match`. */
  verifyNameMatch(body: VerifyNameMatchRequest, options?: CallOptions): Promise<Result<VerifyNameMatchData>>;
  /** Full identity KYC: `POST /v1/bundles/full-identity-kyc`. */
  bundlesFullIdentityKyc(body: BundlesFullIdentityKycRequest, options?: CallOptions): Promise<Result<BundlesFullIdentityKycData>>;
  /** Fraud check: `POST /v1/bundles/fraud-check`. */
  bundlesFraudCheck(body: BundlesFraudCheckRequest, options?: CallOptions): Promise<Result<BundlesFraudCheckData>>;
  /** Document forgery check: `POST /v1/bundles/document-forgery-check`. */
  bundlesDocumentForgeryCheck(body: BundlesDocumentForgeryCheckRequest, options?: CallOptions): Promise<Result<BundlesDocumentForgeryCheckData>>;
  /** Professional router: `POST /v1/bundles/professional-router`. */
  bundlesProfessionalRouter(body: BundlesProfessionalRouterRequest, options?: CallOptions): Promise<Result<BundlesProfessionalRouterData>>;
  /** Full business verification: `POST /v1/bundles/full-business-verification`. */
  bundlesFullBusinessVerification(body: BundlesFullBusinessVerificationRequest, options?: CallOptions): Promise<Result<BundlesFullBusinessVerificationData>>;
  /** Director due diligence: `POST /v1/bundles/director-due-diligence`. */
  bundlesDirectorDueDiligence(body: BundlesDirectorDueDiligenceRequest, options?: CallOptions): Promise<Result<BundlesDirectorDueDiligenceData>>;
  /** Employment claim verification: `POST /v1/bundles/employment-claim-verification`. */
  bundlesEmploymentClaimVerification(body: BundlesEmploymentClaimVerificationRequest, options?: CallOptions): Promise<Result<BundlesEmploymentClaimVerificationData>>;
  /** Credit bureau report: `POST /v1/bundles/credit-bureau-report`. */
  bundlesCreditBureauReport(body: BundlesCreditBureauReportRequest, options?: CallOptions): Promise<Result<BundlesCreditBureauReportData>>;
  /** Vehicle forensic verification: `POST /v1/bundles/vehicle-forensic-verification`. */
  bundlesVehicleForensicVerification(body: BundlesVehicleForensicVerificationRequest, options?: CallOptions): Promise<Result<BundlesVehicleForensicVerificationData>>;
  /** Address utility verification: `POST /v1/bundles/address-utility-verification`. */
  bundlesAddressUtilityVerification(body: BundlesAddressUtilityVerificationRequest, options?: CallOptions): Promise<Result<BundlesAddressUtilityVerificationData>>;
  /** Dynamic bank validation: `POST /v1/bundles/dynamic-bank-validation`. */
  bundlesDynamicBankValidation(body: BundlesDynamicBankValidationRequest, options?: CallOptions): Promise<Result<BundlesDynamicBankValidationData>>;
  /** Company TAN identity: `POST /v1/bundles/company-tan-identity`. */
  bundlesCompanyTanIdentity(body: BundlesCompanyTanIdentityRequest, options?: CallOptions): Promise<Result<BundlesCompanyTanIdentityData>>;
}

export interface UsageDataEndpointsItem {
  /** How often it was called. */
  calls: number;
  /** Calls that gave a result. */
  completed: number;
  /** Calls whose answer was that there is no record. */
  noRecord: number;
  /** Calls that failed otherwise. */
  failed: number;
  /** Calls that were charged. */
  billed: number;
  /** What was charged, in INR. */
  amount: number;
  /** The operation or the bundle. */
  endpoint?: string;
}

export interface UsageDataTotals {
  /** How often it was called. */
  calls: number;
  /** Calls that gave a result. */
  completed: number;
  /** Calls whose answer was that there is no record. */
  noRecord: number;
  /** Calls that failed otherwise. */
  failed: number;
  /** Calls that were charged. */
  billed: number;
  /** What was charged, in INR. */
  amount: number;
}

export interface UsageData {
  endpoints: Array<UsageDataEndpointsItem>;
  /** The sums over all operations. */
  totals: UsageDataTotals;
  /** What is in the wallet, in INR. On live only. */
  walletBalance?: number;
}

export interface VerifyIdentityPanData {
  pan: string;
  name: string;
  nameMatchScore: number;
  nameOnPan: string;
  category: string;
  panStatus: string;
  lastUpdated: string;
}

export interface VerifyIdentityPanRequest {
  /** Permanent account number: 5 letters, 4 digits and a letter. */
  pan: string;
  /** Claimed name, compared with the name on the PAN. */
  name?: string;
}

export interface VerifyIdentityDlDataValidityNonTransport {
  from: string;
  to: string;
}

export interface VerifyIdentityDlDataValidityTransport {
  from: string;
  to: string;
}

export interface VerifyIdentityDlDataValidity {
  nonTransport: VerifyIdentityDlDataValidityNonTransport;
  transport: VerifyIdentityDlDataValidityTransport;
}

export interface VerifyIdentityDlDataSplitAddress {
  addressLine: string;
  city: string;
  district: string;
  state: string;
  stateCode: string;
  pincode: string;
  country: string;
}

export interface VerifyIdentityDlData {
  dlNumber: string;
  name: string;
  fatherOrHusbandName: string;
  dateOfBirth: string;
  issueDate: string;
  validity: VerifyIdentityDlDataValidity;
  vehicleClasses: Array<string>;
  rtoOffice: string;
  address: string;
  splitAddress: VerifyIdentityDlDataSplitAddress;
  status: string;
  photo: string;
}

export interface VerifyIdentityDlRequest {
  /** Licence number, state prefix included: a text that begins with the two letters of a state. */
  dlNumber: string;
  /** Date of birth of the holder: a date written DD/MM/YYYY. */
  dateOfBirth: string;
}

export interface VerifyIdentityVoterDataSplitAddress {
  addressLine: string;
  city: string;
  district: string;
  state: string;
  stateCode: string;
  pincode: string;
  country: string;
}

export interface VerifyIdentityVoterDataConstituency {
  assemblyNumber: string;
  assemblyName: string;
  parliamentaryNumber: string;
  parliamentaryName: string;
}

export interface VerifyIdentityVoterDataPollingStation {
  partNumber: string;
  serialNumber: string;
  name: string;
  address: string;
}

export interface VerifyIdentityVoterData {
  epicNumber: string;
  name: string;
  nameInRegionalLang: string;
  age: number;
  gender: string;
  fatherName: string;
  relationType: string;
  address: string;
  splitAddress: VerifyIdentityVoterDataSplitAddress;
  constituency: VerifyIdentityVoterDataConstituency;
  pollingStation: VerifyIdentityVoterDataPollingStation;
}

export interface VerifyIdentityVoterRequest {
  /** Number of the voter card. */
  epicNumber: string;
  /** Give the name in the regional language, too. */
  includeRegionalLanguage?: boolean;
}

export interface VerifyIdentityPassportData {
  fileNumber: string;
  givenName: string;
  surname: string;
  fullName: string;
  dateOfBirth: string;
  typeOfApplication: string;
  applicationReceivedOn: string;
}

export interface VerifyIdentityPassportRequest {
  /** File number of the application. */
  fileNumber: string;
  /** Date of birth of the holder: a date written DD/MM/YYYY. */
  dateOfBirth: string;
}

export interface VerifyIdentityFaceLivenessData {
  isLive: boolean;
  livenessScore: number;
  multipleFacesDetected: boolean;
  reviewNeeded: boolean;
}

export interface VerifyIdentityFaceLivenessRequest {
  /** Public address of a JPEG or PNG selfie: an absolute http or https URL. */
  imageUrl: string;
}

export interface VerifyIdentityFaceMatchData {
  match: boolean;
  matchScore: number;
  confidence: number;
  reviewNeeded: boolean;
  faceCount1?: number;
  faceCount2?: number;
}

export interface VerifyIdentityFaceMatchRequest {
  /** Address of the first image: an absolute http or https URL. */
  imageUrl1: string;
  /** Address of the second image: an absolute http or https URL. */
  imageUrl2: string;
  /** Count the faces in each image, too. */
  includeFaceCount?: boolean;
}

export interface VerifyIdentityMobileOtpStartData {
  request_id: string;
  "status-code": string;
  message: string;
}

export interface VerifyIdentityMobileOtpStartRequest {
  /** Mobile number: 10 digits. */
  mobile: string;
  /** Consent of the person. */
  consent?: "y";
  /** Country calling code. */
  countryCode?: string;
}

export interface VerifyIdentityMobileOtpVerifyData {
  provider: string;
  otp_validated: boolean;
  "status-code": string;
}

export interface VerifyIdentityMobileOtpVerifyRequest {
  /** From start. */
  request_id: string;
  /** The OTP the person received: 4 or 6 digits. */
  otp: string;
}

export interface VerifyIdentityMobileOtpFetchDataPaymentHistoryItem {
  month: string;
  amount: number;
  status: string;
}

export interface VerifyIdentityMobileOtpFetchData {
  name: string;
  date_of_birth: string;
  address: string;
  alt_contact: string;
  provider: string;
  type: string;
  paymentHistory: Array<VerifyIdentityMobileOtpFetchDataPaymentHistoryItem>;
}

export interface VerifyIdentityMobileOtpFetchRequest {
  /** From start, not from verify. */
  request_id: string;
}

export interface VerifyIdentityMobileOtpSStartData {
  referenceId: string;
}

export interface VerifyIdentityMobileOtpSStartRequest {
  /** Mobile number: 10 digits. */
  mobile: string;
  /** Country calling code. */
  countryCode?: string;
}

export interface VerifyIdentityMobileOtpSFetchDataPaymentHistoryItem {
  month: string;
  amount: number;
  status: string;
}

export interface VerifyIdentityMobileOtpSFetchData {
  name: string;
  dob: string;
  billingType: string;
  mobileNetworkOperator: string;
  alternatePhone: string;
  email: string;
  paymentHistory: Array<VerifyIdentityMobileOtpSFetchDataPaymentHistoryItem>;
}

export interface VerifyIdentityMobileOtpSFetchRequest {
  /** The mobile number given to start: 10 digits. */
  mobile: string;
  /** From start. */
  referenceId: string;
  /** The OTP the person received: 4 or 6 digits. */
  otp: string;
}

export interface VerifyEmploymentUanLookupData {
  mobile: string;
  uanList: Array<string>;
}

export interface VerifyEmploymentUanLookupRequest {
  /** Mobile number known to the provident fund: 10 digits. */
  mobile: string;
}

export interface VerifyEmploymentUanDataEmploymentHistoryItem {
  establishmentId: string;
  establishmentName: string;
  doj: string;
  dol: string;
  designation: string;
  memberId: string;
}

export interface VerifyEmploymentUanData {
  uan: string;
  memberName?: string;
  dateOfBirth?: string;
  employmentHistory?: Array<VerifyEmploymentUanDataEmploymentHistoryItem>;
}

export interface VerifyEmploymentUanRequest {
  /** Universal account number: 12 digits. */
  uan: string;
}

export interface VerifyEmploymentEpfoEstablishmentDataContributionHistoryItem {
  month: string;
  employerShare: number;
  employeeShare: number;
  memberCount: number;
}

export interface VerifyEmploymentEpfoEstablishmentData {
  establishmentId: string;
  establishmentName: string;
  address: string;
  businessActivity: string;
  registrationDate: string;
  status: string;
  totalEmployees: number;
  contributionHistory: Array<VerifyEmploymentEpfoEstablishmentDataContributionHistoryItem>;
}

export interface VerifyEmploymentEpfoEstablishmentRequest {
  /** Establishment's number at the provident fund: 15 letters or digits. */
  establishmentId: string;
  /** Months of contribution history. */
  months?: number;
}

export interface VerifyEmploymentEpfoNameSearchDataMatchesItem {
  establishmentId: string;
  establishmentName: string;
}

export interface VerifyEmploymentEpfoNameSearchData {
  matches: Array<VerifyEmploymentEpfoNameSearchDataMatchesItem>;
}

export interface VerifyEmploymentEpfoNameSearchRequest {
  /** Name of the establishment, or a part of it. */
  name: string;
}

export interface VerifyCompanyMcaCinLookupDataMatchesItem {
  cin: string;
  companyName: string;
  status: string;
}

export interface VerifyCompanyMcaCinLookupData {
  matches: Array<VerifyCompanyMcaCinLookupDataMatchesItem>;
}

export interface VerifyCompanyMcaCinLookupRequest {
  /** Company name, or a part of it. */
  companyName: string;
}

export interface VerifyCompanyMcaMasterData {
  cin: string;
  companyName: string;
  registrationNumber: string;
  companyStatus: string;
  companyCategory: string;
  companySubcategory: string;
  classOfCompany: string;
  incorporationDate: string;
  registeredOffice: string;
  authorizedCapital: number;
  paidUpCapital: number;
  lastAgmDate: string;
  lastFilingDate: string;
  registrar: string;
}

export interface VerifyCompanyMcaMasterRequest {
  /** CIN of a company or LLPIN of a partnership: 21 letters or digits, or an LLPIN of 3 letters, a hyphen and 4 digits. */
  cin: string;
}

export interface VerifyCompanyMcaSignatoriesDataDirectorsItem {
  din: string;
  name: string;
  designation: string;
  appointmentDate: string;
  endDate: string;
}

export interface VerifyCompanyMcaSignatoriesData {
  cin: string;
  directors: Array<VerifyCompanyMcaSignatoriesDataDirectorsItem>;
}

export interface VerifyCompanyMcaSignatoriesRequest {
  /** CIN of the company: 21 letters or digits. */
  cin: string;
}

export interface VerifyCompanyMcaSearchData {
  cins: Array<string>;
}

export interface VerifyCompanyMcaSearchRequest {
  /** Company name. */
  companyName: string;
}

export interface VerifyCompanyRocDirectorDataCompaniesItem {
  cin: string;
  companyName: string;
  beginDate: string;
  endDate: string;
}

export interface VerifyCompanyRocDirectorData {
  din: string;
  name: string;
  fatherName: string;
  dateOfBirth: string;
  panNumber: string;
  dinStatus: string;
  nationality: string;
  noOfCompanies: number;
  companies: Array<VerifyCompanyRocDirectorDataCompaniesItem>;
}

export interface VerifyCompanyRocDirectorRequest {
  /** Director identification number: 8 digits. */
  din: string;
}

export interface VerifyCompanyTanData {
  tan: string;
  name: string;
  category: string;
  status: string;
}

export interface VerifyCompanyTanRequest {
  /** Tax deduction account number: 10 letters or digits. */
  tan: string;
}

export interface VerifyCompanyUdyamDataProfile {
  name: string;
  majorActivity: string;
  organizationType: string;
  ownerName: string | null;
  pan: string | null;
  socialCategory: string;
  dateOfIncorporation: string;
  dateOfCommencement: string;
}

export interface VerifyCompanyUdyamDataOfficialAddress {
  flat: string;
  premises: string;
  road: string;
  city: string;
  district: string;
  state: string;
  pincode: string;
}

export interface VerifyCompanyUdyamDataIndustryItem {
  nicCode: string;
  industry: string;
  subSector: string;
  activityDescription: string;
  activity: string;
}

export interface VerifyCompanyUdyamDataBranchDetailsItem {
  name: string;
  flat: string;
  premises: string;
  road: string;
  city: string;
  state: string;
  pincode: string;
}

export interface VerifyCompanyUdyamDataEmploymentDetails {
  male: string | null;
  female: string | null;
  others: string | null;
  total: string | null;
}

export interface VerifyCompanyUdyamDataFinancialsDetails {
  wdvPme: string | null;
  netInvestmentInPme: string | null;
  totalTurnover: string | null;
}

export interface VerifyCompanyUdyamDataFinancials {
  financialYear: string | null;
  details: VerifyCompanyUdyamDataFinancialsDetails;
}

export interface VerifyCompanyUdyamData {
  udyamRegistrationNo: string;
  dateOfRegistration: string;
  profile: VerifyCompanyUdyamDataProfile;
  officialAddress: VerifyCompanyUdyamDataOfficialAddress;
  industry: Array<VerifyCompanyUdyamDataIndustryItem>;
  branchDetails: Array<VerifyCompanyUdyamDataBranchDetailsItem>;
  employmentDetails: VerifyCompanyUdyamDataEmploymentDetails;
  financials: VerifyCompanyUdyamDataFinancials;
}

export interface VerifyCompanyUdyamRequest {
  /** Udyam registration number: UDYAM, 2 letters, 2 digits and 7 digits with hyphens between. */
  udyamNumber: string;
}

export interface VerifyCompanyUdyamOtpConfirmData {
  udyamNumber: string;
}

export interface VerifyCompanyUdyamOtpConfirmRequest {
  /** Udyam registration number: UDYAM, 2 letters, 2 digits and 7 digits with hyphens between. */
  udyamNumber: string;
  /** The OTP the owner received: 4 or 6 digits. */
  otp: string;
}

export interface VerifyCompanyIecDataBranchesItem {
  address: string;
}

export interface VerifyCompanyIecData {
  iec: string;
  entityName: string;
  iecIssueDate: string;
  iecStatus: string;
  natureOfBusiness: string;
  branches: Array<VerifyCompanyIecDataBranchesItem>;
}

export interface VerifyCompanyIecRequest {
  /** Importer-exporter code: 10 letters or digits. */
  iec: string;
}

export interface VerifyCompanyShopEstablishmentData {
  registrationNumber: string;
  establishmentName: string;
  ownerName: string;
  address: string;
  natureOfBusiness: string;
  registrationDate: string;
  validUpto: string;
  status: string;
}

export interface VerifyCompanyShopEstablishmentRequest {
  /** Registration number. */
  registrationNumber: string;
  /** Full name of the state, in capitals: a name without small letters. */
  state: string;
}

export interface VerifyCompanyTinData {
  tinNumber: string;
  dealerName: string;
  state: string;
  status: string;
  registrationDate: string;
}

export interface VerifyCompanyTinRequest {
  /** Taxpayer identification number: 11 digits. */
  tinNumber: string;
}

export interface VerifyCompanyGstData {
  gstin: string;
  isValid: boolean;
  businessName: string;
  legalName: string;
  tradeName: string;
  registrationDate: string;
  taxpayerType: string;
  status: string;
  constitution: string;
  principalAddress: string;
  stateJurisdiction: string;
  centerJurisdiction: string;
  pan: string;
}

export interface VerifyCompanyGstRequest {
  /** GST identification number: 2 digits of the state, a PAN, an entity code, Z and a check character. */
  gstin: string;
}

export interface VerifyCompanyGstDetailedDataAdditionalAddressesItem {
  address: string;
  type: string;
}

export interface VerifyCompanyGstDetailedDataReturnsFilingHistoryItem {
  returnType: string;
  periodOfReturn: string;
  dateOfFiling: string;
  status: string;
}

export interface VerifyCompanyGstDetailedData {
  gstin: string;
  isValid: boolean;
  businessName: string;
  legalName: string;
  tradeName: string;
  registrationDate: string;
  taxpayerType: string;
  status: string;
  constitution: string;
  principalAddress: string;
  stateJurisdiction: string;
  centerJurisdiction: string;
  pan: string;
  additionalAddresses: Array<VerifyCompanyGstDetailedDataAdditionalAddressesItem>;
  natureOfBusiness: Array<string>;
  returnsFilingFrequency: string;
  returnsFilingHistory: Array<VerifyCompanyGstDetailedDataReturnsFilingHistoryItem>;
  complianceRating: string;
  lateFilingPenalty: number;
}

export interface VerifyCompanyGstDetailedRequest {
  /** GST identification number: 2 digits of the state, a PAN, an entity code, Z and a check character. */
  gstin: string;
}

export interface VerifyMembershipCaData {
  membershipNumber: string;
  name: string;
  designation: string;
  category: string;
  memberSince: string;
  cpNumber: string;
  region: string;
}

export interface VerifyMembershipCaRequest {
  /** Membership number. */
  membershipNumber: string;
}

export interface VerifyMembershipCsData {
  membershipNumber: string;
  name: string;
  designation: string;
  memberCategory: string;
  city: string;
  address: string;
  cpNumber: string;
  photo: string;
}

export interface VerifyMembershipCsRequest {
  /** Membership number, A for associates, F for fellows: a text that begins with A or F. */
  membershipNumber: string;
}

export interface VerifyMembershipCmaData {
  membershipNumber: string;
  firstName: string;
  middleName: string;
  surname: string;
  fullName: string;
  memberCategory: string;
  region: string;
  chapter: string;
}

export interface VerifyMembershipCmaRequest {
  /** Membership number. */
  membershipNumber: string;
}

export interface VerifyContactEmailData {
  email: string;
  result: string;
  deliverable: boolean;
  disposable: boolean;
  webmail: boolean;
  smtp_check: boolean;
  mx_records: boolean;
  blocked: boolean;
}

export interface VerifyContactEmailRequest {
  /** E-mail address: a name, @ and a domain. */
  email: string;
}

export interface VerifyFinancialBankAccountData {
  accountActive: boolean;
  accountHolderName: string;
  nameMatch: boolean;
  nameMatchScore: number;
  bankName: string;
  branchName: string;
}

export interface VerifyFinancialBankAccountRequest {
  /** Account number. */
  accountNumber: string;
  /** Code of the branch: 11 letters or digits. */
  ifsc: string;
  /** Claimed name, compared with the holder's. */
  nameToVerify?: string;
}

export interface VerifyFinancialBankDynamicSendDataAuditTrail {
  nature: string;
  value: string;
  timestamp: string;
}

export interface VerifyFinancialBankDynamicSendData {
  active: boolean;
  reason: string;
  auditTrail: VerifyFinancialBankDynamicSendDataAuditTrail;
  beneficiaryName: string;
  beneficiaryIfsc: string;
  referenceId: string;
  amountSent: number;
}

export interface VerifyFinancialBankDynamicSendRequest {
  /** Account number. */
  accountNumber: string;
  /** Code of the branch: 11 letters or digits. */
  ifsc: string;
}

export interface VerifyFinancialBankDynamicVerifyData {
  amountMatch: boolean;
  accountHolderName: string;
}

export interface VerifyFinancialBankDynamicVerifyRequest {
  /** From send. */
  referenceId: string;
  /** The amount the holder saw arrive, with paise: a decimal with paise, such as 1.45. */
  amount: string;
}

export interface VerifyFinancialCreditReportDataAccountsItem {
  accountType: string;
  memberName: string;
  openDate: string;
  status: string;
  balance: number;
  creditLimit: number;
}

export interface VerifyFinancialCreditReportData {
  score: number;
  scoreBand: string;
  totalAccounts: number;
  activeAccounts: number;
  closedAccounts: number;
  highCreditAmount: number;
  currentBalance: number;
  overdueAmount: number;
  delinquentAccounts: number;
  inquiriesLast6Months: number;
  accounts: Array<VerifyFinancialCreditReportDataAccountsItem>;
}

export interface VerifyFinancialCreditReportRequestConsentArtifact {
  /** When consent was given. */
  timestamp: string;
  /** Address it was given from. */
  ip: string;
  /** Identifier of the message that asked for it. */
  messageId: string;
}

export interface VerifyFinancialCreditReportRequest {
  /** Permanent account number: 5 letters, 4 digits and a letter. */
  pan: string;
  /** Mobile number known to the bureau: 10 digits. */
  mobile: string;
  /** Name as on the PAN. */
  name: string;
  /** Date of birth: a date written DD/MM/YYYY. */
  dateOfBirth: string;
  /** Proof of the person's consent. */
  consentArtifact: VerifyFinancialCreditReportRequestConsentArtifact;
}

export interface VerifyFinancialIfscData {
  verification_id: string;
  reference_id: number;
  status: string;
  bank: string;
  ifsc: string;
  neft: "Live" | "Not Live";
  imps: "Live" | "Not Live";
  rtgs: "Live" | "Not Live";
  upi: "Live" | "Not Live";
  ft: "Live" | "Not Live";
  card: "Live" | "Not Live";
  micr: number;
  nbin: number;
  address: string;
  city: string;
  state: string;
  branch: string;
  ifsc_subcode: string;
  swift_code: string;
}

export interface VerifyFinancialIfscRequest {
  /** Code of the branch: 11 letters or digits. */
  ifsc: string;
}

export interface VerifyFinancialBankHybridData {
  active: "yes" | "no";
  reason: string;
  nameMatch: "yes" | "no";
  mobileMatch: "yes" | "no" | "not available";
  nameMatchScore: number;
  bankRRN: string;
  beneName: string;
  beneIFSC: string;
}

export interface VerifyFinancialBankHybridRequest {
  /** Account number. */
  accountNumber: string;
  /** Code of the branch: 11 letters or digits. */
  ifsc: string;
  /** Claimed name, compared with the holder's. */
  nameToVerify: string;
  /** Mobile number, matched with the account's: 10 digits. */
  mobile?: string;
  /** Score from which the names match. */
  threshold?: number;
}

export interface VerifyFinancialBankAccountV1Data {
  statusCode: string;
  status: string;
  acValidationStatus: "ACCOUNT_VALID" | "ACCOUNT_INVALID";
  message: string;
  custName: string;
  nameAtBank: string;
  custAcctNo: string;
  custIfsc: string;
  bankCode: string;
  methodUsed: "PENNY_DROP" | "PENNY_LESS" | "HYBRID";
  fuzzyLogicScore: string;
  utr: string;
}

export interface VerifyFinancialBankAccountV1Request {
  /** Code of the branch: 11 letters or digits. */
  ifsc: string;
  /** Account number. */
  accountNumber: string;
  /** Claimed name, compared with the name at the bank. */
  custName?: string;
  /** 310 penny-drop, 311 penny-less, 312 hybrid. */
  programId?: "310" | "311" | "312";
  /** Rail to use. */
  txnType?: "ANY" | "IMPS" | "NACH" | "UPI";
}

export interface VerifyFinancialBankAccountV1StatusData {
  statusCode: string;
  status: string;
  acValidationStatus: "ACCOUNT_VALID" | "ACCOUNT_INVALID";
  requestId: string;
  nameAtBank: string;
  bankCode: string;
  methodUsed: "PENNY_DROP" | "PENNY_LESS" | "HYBRID";
}

export interface VerifyFinancialBankAccountV1StatusRequest {
  /** Request id of the original call. */
  origRequestId: string;
  /** The original call's, where given. */
  programId?: "310" | "311" | "312";
}

export interface ScreenNegativeDiligenceDataMatchesItem {
  category: "SANCTIONS" | "PEP" | "ADVERSE_MEDIA" | "REGULATORY" | "LAW_ENFORCEMENT";
  source: string;
  name: string;
  matchScore: number;
  details: string;
}

export interface ScreenNegativeDiligenceData {
  clean: boolean;
  matchCount: number;
  categoriesHit: Array<"SANCTIONS" | "PEP" | "ADVERSE_MEDIA" | "REGULATORY" | "LAW_ENFORCEMENT">;
  matches?: Array<ScreenNegativeDiligenceDataMatchesItem>;
}

export interface ScreenNegativeDiligenceRequest {
  /** Name to screen. */
  name: string;
  /** Date of birth: a date written DD/MM/YYYY. */
  dateOfBirth?: string;
  /** ISO code of the country: an ISO country code. */
  nationality?: string;
  /** Categories to search; all when left out. */
  includeCategories?: Array<"SANCTIONS" | "PEP" | "ADVERSE_MEDIA" | "REGULATORY" | "LAW_ENFORCEMENT">;
}

export interface ScreenMobileMnrlData {
  mobile: string;
  matchFound: boolean;
  category: string;
}

export interface ScreenMobileMnrlRequest {
  /** Mobile number: 10 digits. */
  mobile: string;
}

export interface ScreenMobileSilentData {
  customerName: string;
  alternateNumber: string;
  isValid: boolean;
  subscriberStatus: string;
  connectionType: string;
  currentServiceProvider: string;
  originalServiceProvider?: string;
  networkRegion: string;
  isPorted?: boolean;
}

export interface ScreenMobileSilentRequest {
  /** Mobile number: 10 digits. */
  mobile: string;
  /** Tell porting and original network, too. */
  includeAdditional?: boolean;
}

export interface ScreenIpQualityData {
  ip: string;
  fraudScore: number;
  isProxy: boolean;
  isVpn: boolean;
  isTor: boolean;
  isBot: boolean;
  isCrawler: boolean;
  isAbuser: boolean;
  country: string;
  region: string;
  city: string;
  isp: string;
  asn: string;
}

export interface ScreenIpQualityRequest {
  /** IPv4 or IPv6 address: an IPv4 or IPv6 address. */
  ip: string;
}

export interface ScreenEmailFraudData {
  email: string;
  fraudScore: number;
  riskLevel: "LOW" | "MEDIUM" | "HIGH";
  deliverable: boolean;
  disposable: boolean;
  freeProvider: boolean;
  domainAgeDays: number;
  breachCount: number;
  firstSeenDaysAgo: number;
}

export interface ScreenEmailFraudRequest {
  /** E-mail address: a name, @ and a domain. */
  email: string;
}

export interface ScreenCourtRecordsDataCandidate {
  name: string;
  father_name: string;
  dob: string;
  state: string;
  city: string;
}

export interface ScreenCourtRecordsDataTierCounts {
  high: number;
  medium: number;
  low: number;
}

export interface ScreenCourtRecordsDataCasesItem {
  cnr: string;
  court: string;
  caseType: string;
  filingDate: string;
  status: string;
  tier: string;
  summary: string;
}

export interface ScreenCourtRecordsDataSearchLogItem {
  variant: string;
  http: number;
  latency_ms: number;
  total_hits: number;
  new_cnrs: number;
}

export interface ScreenCourtRecordsData {
  candidate: ScreenCourtRecordsDataCandidate;
  verdict: "CLEAR" | "RECORDS_FOUND";
  tier_counts: ScreenCourtRecordsDataTierCounts;
  cases: Array<ScreenCourtRecordsDataCasesItem>;
  cases_total: number;
  search_log: Array<ScreenCourtRecordsDataSearchLogItem>;
  records_scanned: number;
  variants_run: Array<string>;
  credits_used: number;
  gpt: string | null;
  gpt_raw: string | null;
  gpt_tokens: number;
  state_auto_derived: boolean;
  dob_filtered: number;
  min_filing_year: number;
  pipeline_ms: number;
}

export interface ScreenCourtRecordsRequest {
  /** Name to search, in any case. */
  name: string;
  /** Father's name. */
  father_name?: string;
  /** Date of birth; filings before the 14th birthday are dropped: a date written DD-MM-YYYY, YYYY-MM-DD or DDMMYYYY. */
  dob?: string;
  /** Code of the state: 2 letters. */
  state?: string;
  /** City; tells the state where that is empty. */
  city?: string;
}

export interface VerifyUtilityVehicleRcDataInsurance {
  company: string;
  policyNumber: string;
  validUpto: string;
}

export interface VerifyUtilityVehicleRcData {
  registrationNumber: string;
  ownerName: string;
  fatherName: string;
  vehicleManufacturer: string;
  model: string;
  vehicleClass: string;
  fuelType: string;
  manufacturingMonthYear: string;
  registrationDate: string;
  rcExpiryDate: string;
  address: string;
  rtoCode: string;
  rtoOffice: string;
  insurance: VerifyUtilityVehicleRcDataInsurance;
  puccNumber: string;
  puccValidUpto: string;
  status: string;
  blacklistStatus: string;
}

export interface VerifyUtilityVehicleRcRequest {
  /** Registration number: a text without spaces. */
  rcNumber: string;
}

export interface VerifyUtilityVehicleRcReverseData {
  registrationNumber: string;
  engineNumber: string;
  chassisNumber: string;
  ownerName: string;
  vehicleManufacturer: string;
  model: string;
  vehicleClass: string;
  status: string;
}

export interface VerifyUtilityVehicleRcReverseRequest {
  /** Engine number. */
  engineNumber: string;
  /** Chassis number. */
  chassisNumber: string;
}

export interface VerifyUtilityFastagData {
  tagId: string;
  vehicleNumber: string;
  tagStatus: string;
  vehicleClass: string;
  issueDate: string;
  issuerBank: string;
}

export interface VerifyUtilityFastagRequest {
  /** Registration number of the vehicle. */
  vehicleNumber: string;
}

export interface VerifyUtilityElectricityData {
  consumerNumber: string;
  consumerName: string;
  billAmount: string;
  billDueDate: string;
  address: string;
  provider: string;
}

export interface VerifyUtilityElectricityRequest {
  /** Consumer number. */
  consumerNumber: string;
  /** Code of the provider. */
  serviceProvider: string;
  /** Mobile number known to the provider: 10 digits. */
  registeredMobile?: string;
}

export interface VerifyUtilityPropertyTaxData {
  propertyNumber: string;
  ownerName: string;
  propertyAddress: string;
  ward: string;
  billAmount: string;
  dueDate: string;
  lastPaidAmount: string;
  lastPaidDate: string;
}

export interface VerifyUtilityPropertyTaxRequest {
  /** Full name of the state, in capitals: a name without small letters. */
  state: string;
  /** City. */
  city: string;
  /** Number of the property. */
  propertyNumber: string;
  /** Name of the local body, in capitals: a name without small letters. */
  ulb?: string;
}

export interface VerifyUtilityPngData {
  bpNumber: string;
  consumerName: string;
  address: string;
  connectionStatus: string;
  billAmount: string;
  dueDate: string;
}

export interface VerifyUtilityPngRequest {
  /** Business partner number. */
  bpNumber: string;
  /** Code of the provider. */
  serviceProvider: string;
}

export interface VerifyUtilityLpgData {
  lpgId: string;
  consumerName: string;
  distributor: string;
  address: string;
  subsidyStatus: string;
}

export interface VerifyUtilityLpgRequest {
  /** LPG identifier: 17 digits. */
  lpgId: string;
}

export interface VerifyDocumentForgeryDataImageResultsItemSummary {
  status: "Not Forged" | "Forged";
  spliceDetection: "Yes" | "No";
  spliceDetectionScore: number;
  photocopyDetection: "Yes" | "No";
  photocopyDetectionScore: number;
  webcheckDetection: "Yes" | "No";
  webcheckDetectionScore: number;
  screenshotDetection: "Yes" | "No";
  screenshotDetectionScore: number;
  textmatch: string;
  textmatchScore: number;
  reason: string;
}

export interface VerifyDocumentForgeryDataImageResultsItemMetadata {
  resolution: Array<number>;
  cameraMake: string;
  cameraModel: string;
  software: string;
  captureDate: string;
}

export interface VerifyDocumentForgeryDataImageResultsItem {
  imageUrl: string;
  summary: VerifyDocumentForgeryDataImageResultsItemSummary;
  metadata: VerifyDocumentForgeryDataImageResultsItemMetadata;
}

export interface VerifyDocumentForgeryData {
  trackingId: string;
  imageResults?: Array<VerifyDocumentForgeryDataImageResultsItem>;
}

export interface VerifyDocumentForgeryRequest {
  /** Addresses of the images: an absolute http or https URL. */
  imageUrls: Array<string>;
  /** Texts to look for inside the image. */
  textFields?: Record<string, unknown>;
  /** Score above which a document counts as forged. */
  threshold?: number;
}

export interface VerifyDocumentDigilockerData {
  consentUrl: string;
}

export interface VerifyDocumentDigilockerRequest {
  /** Where the person returns to after consent: an absolute URI that a browser or an app may follow, such as https://app.example/return or myapp://callback. */
  redirectUrl: string;
  /** Codes of the document types wanted. */
  requestedDocs?: Array<string>;
}

export interface VerifyDocumentKycOcrData {
  documentType: "PAN" | "AADHAAR" | "VOTER_ID" | "PASSPORT" | "DL";
  pageNo: number;
  "ocrData.name": string;
  "ocrData.dob": string;
  "ocrData.pan": string;
  "ocrData.doi": string;
  "ocrData.father": string;
  maskedImage?: string;
}

export interface VerifyDocumentKycOcrRequest {
  /** Address of a JPEG, PNG or PDF: an absolute http or https URL. */
  url: string;
  /** Document types expected. */
  docTypes?: Array<"PAN" | "AADHAAR" | "VOTER_ID" | "PASSPORT" | "DL">;
  /** Password of the PDF; `N` for an image. */
  pdfPassword?: string;
  /** Whether confidence is wanted. */
  requiredConfidence?: boolean;
  /** Quality checks to run. */
  returnQualityChecks?: Array<"ALL" | "BRIGHTNESS" | "BLUR" | "BLACK_AND_WHITE" | "CUT_CARD">;
  /** Digits to hide in an Aadhaar image. */
  maskAadhaarImage?: "EIGHT_DIGITS" | "TWELVE_DIGITS" | "NONE";
  /** How images come back. */
  responseType?: "URL" | "BASE64";
}

export interface VerifyDocumentChequeOcrData {
  name: string;
  accNo: string;
  chequeNo: string;
  ifsc: string;
  micr: string;
  bank: string;
  "bankDetails.branch": string;
  "bankDetails.city": string;
  "bankDetails.state": string;
}

export interface VerifyDocumentChequeOcrRequest {
  /** Address of a JPEG or PNG of the cheque: an absolute http or https URL. */
  url: string;
}

export interface VerifyDocumentKycOcrSData {
  docType: string;
  status: string;
  requestId: string;
}

export interface VerifyDocumentKycOcrSRequest {
  /** Addresses of the images or PDFs: an absolute http or https URL. */
  urls: Array<string>;
}

export interface VerifyAddressGeocodeData {
  address: string;
  latitude: string;
  longitude: string;
  confidenceScore: number;
  city: string;
  state: string;
  stateCode: string;
  country: string;
  countryCode: string;
  zipcode: string;
}

export interface VerifyAddressGeocodeRequest {
  /** Latitude in degrees: degrees between -90 and 90. */
  latitude: string;
  /** Longitude in degrees: degrees between -180 and 180. */
  longitude: string;
}

export interface VerifyAddressGeoFenceData {
  ip: string;
  country: string;
  countryCode: string;
  state: string;
  stateCode: string;
  city: string;
  zipCode: string;
  latitude: number;
  longitude: number;
  asn: string;
  riskip: boolean;
  validUser: boolean;
}

export interface VerifyAddressGeoFenceRequest {
  /** IPv4 or IPv6 address: an IPv4 or IPv6 address. */
  ip: string;
  /** Country expected: 2 letters. */
  country: string;
  /** State expected: 2 letters. */
  state: string;
}

export interface VerifyAddressMatchData {
  score: number;
  match: boolean;
  "address1.house": string;
  "address1.street": string;
  "address1.pin": number;
  "address1.state": string;
}

export interface VerifyAddressMatchRequest {
  /** First address. */
  address1: string;
  /** Second address. */
  address2: string;
}

export interface VerifyAddressSplitData {
  House: string;
  Floor: string;
  Building: string;
  Street: string;
  locality: string;
  Landmark: string;
  Pin: number;
  State?: string;
}

export interface VerifyAddressSplitRequest {
  /** Address in one text. */
  address: string;
  /** Tell the state from the PIN. */
  inferState?: boolean;
}

export interface VerifyNameMatchData {
  score: number;
  result: boolean;
}

export interface VerifyNameMatchRequest {
  /** First name. */
  name1: string;
  /** Second name. */
  name2: string;
  /** Whose names they are. */
  type?: "individual" | "business";
  /** Preset of the comparison; `s` is the standard one. */
  preset?: string;
  /** Let a part of the name do. */
  allowPartialMatch?: boolean;
  /** Let the words stand in any order. */
  suppressReorderPenalty?: boolean;
}

export interface BundlesFullIdentityKycDataStepsItemError {
  /** What went wrong. Codes are stable: key a retry on this and on `retryable`. */
  code: "SVC_INVALID_INPUT" | "SVC_INVALID_IDENTIFIER" | "SVC_AUTH_INVALID" | "SVC_KEY_ENVIRONMENT_MISMATCH" | "SVC_INSUFFICIENT_BALANCE" | "SVC_IP_NOT_ALLOWED" | "SVC_NOT_FOUND" | "SVC_IDEMPOTENCY_CONFLICT" | "SVC_NO_RECORD_FOUND" | "SVC_RATE_LIMITED" | "SVC_PROVIDER_ERROR" | "SVC_SOURCE_UNAVAILABLE" | "SVC_SOURCE_TIMEOUT" | "SVC_INTERNAL_ERROR";
  /** What went wrong, for people. */
  message: string;
  /** Whether the same call may succeed later. */
  retryable: boolean;
}

export interface BundlesFullIdentityKycDataStepsItemBilling {
  charged: boolean;
  amount: number;
  currency: "INR";
  walletBalanceAfter?: number;
}

export interface BundlesFullIdentityKycDataStepsItem {
  /** The operation that was run. */
  endpoint: string;
  /** The step can be looked up by it. */
  verificationId: string;
  status: "completed" | "pending" | "failed";
  /** The result, as the operation alone gives it. */
  data?: Record<string, unknown>;
  /** Why there is no result. */
  error?: BundlesFullIdentityKycDataStepsItemError;
  /** What this call costs. */
  billing: BundlesFullIdentityKycDataStepsItemBilling;
}

export interface BundlesFullIdentityKycData {
  bundle: "full-identity-kyc";
  steps: Array<BundlesFullIdentityKycDataStepsItem>;
}

export interface BundlesFullIdentityKycRequest {
  /** Licence number, state prefix included: a text that begins with the two letters of a state. */
  dlNumber: string;
  /** Date of birth of the holder: a date written DD/MM/YYYY. */
  dateOfBirth: string;
  /** Address of the first image: an absolute http or https URL. */
  imageUrl1: string;
  /** Address of the second image: an absolute http or https URL. */
  imageUrl2: string;
  /** Count the faces in each image, too. */
  includeFaceCount?: boolean;
  /** Public address of a JPEG or PNG selfie: an absolute http or https URL. */
  imageUrl: string;
}

export interface BundlesFraudCheckDataStepsItemError {
  /** What went wrong. Codes are stable: key a retry on this and on `retryable`. */
  code: "SVC_INVALID_INPUT" | "SVC_INVALID_IDENTIFIER" | "SVC_AUTH_INVALID" | "SVC_KEY_ENVIRONMENT_MISMATCH" | "SVC_INSUFFICIENT_BALANCE" | "SVC_IP_NOT_ALLOWED" | "SVC_NOT_FOUND" | "SVC_IDEMPOTENCY_CONFLICT" | "SVC_NO_RECORD_FOUND" | "SVC_RATE_LIMITED" | "SVC_PROVIDER_ERROR" | "SVC_SOURCE_UNAVAILABLE" | "SVC_SOURCE_TIMEOUT" | "SVC_INTERNAL_ERROR";
  /** What went wrong, for people. */
  message: string;
  /** Whether the same call may succeed later. */
  retryable: boolean;
}

export interface BundlesFraudCheckDataStepsItemBilling {
  charged: boolean;
  amount: number;
  currency: "INR";
  walletBalanceAfter?: number;
}

export interface BundlesFraudCheckDataStepsItem {
  /** The operation that was run. */
  endpoint: string;
  /** The step can be looked up by it. */
  verificationId: string;
  status: "completed" | "pending" | "failed";
  /** The result, as the operation alone gives it. */
  data?: Record<string, unknown>;
  /** Why there is no result. */
  error?: BundlesFraudCheckDataStepsItemError;
  /** What this call costs. */
  billing: BundlesFraudCheckDataStepsItemBilling;
}

export interface BundlesFraudCheckData {
  bundle: "fraud-check";
  steps: Array<BundlesFraudCheckDataStepsItem>;
  /** The sum, from 0 to 100, of `screen.mobile-silent`: 20 where `isValid` is or has false, 8 without a record; `screen.email-fraud`: 0.4 × `fraudScore`, 8 without a record; `screen.mobile-mnrl`: 25 × `matchFound`, 8 without a record; `screen.negative-diligence`: 70 where `categoriesHit` is or has "SANCTIONS" or "PEP", 40 without a record; `screen.negative-diligence`: 15 × `matchCount`. LOW from 0, MEDIUM from 40, HIGH from 70. */
  riskScore: number;
  riskLevel: "LOW" | "MEDIUM" | "HIGH";
}

export interface BundlesFraudCheckRequest {
  /** Mobile number: 10 digits. */
  mobile: string;
  /** Tell porting and original network, too. */
  includeAdditional?: boolean;
  /** E-mail address: a name, @ and a domain. */
  email: string;
  /** Name to screen. */
  name: string;
  /** Date of birth: a date written DD/MM/YYYY. */
  dateOfBirth?: string;
  /** ISO code of the country: an ISO country code. */
  nationality?: string;
  /** Categories to search; all when left out. */
  includeCategories?: Array<"SANCTIONS" | "PEP" | "ADVERSE_MEDIA" | "REGULATORY" | "LAW_ENFORCEMENT">;
}

export interface BundlesDocumentForgeryCheckDataStepsItemError {
  /** What went wrong. Codes are stable: key a retry on this and on `retryable`. */
  code: "SVC_INVALID_INPUT" | "SVC_INVALID_IDENTIFIER" | "SVC_AUTH_INVALID" | "SVC_KEY_ENVIRONMENT_MISMATCH" | "SVC_INSUFFICIENT_BALANCE" | "SVC_IP_NOT_ALLOWED" | "SVC_NOT_FOUND" | "SVC_IDEMPOTENCY_CONFLICT" | "SVC_NO_RECORD_FOUND" | "SVC_RATE_LIMITED" | "SVC_PROVIDER_ERROR" | "SVC_SOURCE_UNAVAILABLE" | "SVC_SOURCE_TIMEOUT" | "SVC_INTERNAL_ERROR";
  /** What went wrong, for people. */
  message: string;
  /** Whether the same call may succeed later. */
  retryable: boolean;
}

export interface BundlesDocumentForgeryCheckDataStepsItemBilling {
  charged: boolean;
  amount: number;
  currency: "INR";
  walletBalanceAfter?: number;
}

export interface BundlesDocumentForgeryCheckDataStepsItem {
  /** The operation that was run. */
  endpoint: string;
  /** The step can be looked up by it. */
  verificationId: string;
  status: "completed" | "pending" | "failed";
  /** The result, as the operation alone gives it. */
  data?: Record<string, unknown>;
  /** Why there is no result. */
  error?: BundlesDocumentForgeryCheckDataStepsItemError;
  /** What this call costs. */
  billing: BundlesDocumentForgeryCheckDataStepsItemBilling;
}

export interface BundlesDocumentForgeryCheckData {
  bundle: "document-forgery-check";
  steps: Array<BundlesDocumentForgeryCheckDataStepsItem>;
}

export interface BundlesDocumentForgeryCheckRequest {
  /** Addresses of the images: an absolute http or https URL. */
  imageUrls: Array<string>;
  /** Texts to look for inside the image. */
  textFields?: Record<string, unknown>;
  /** Score above which a document counts as forged. */
  threshold?: number;
  /** Public address of a JPEG or PNG selfie: an absolute http or https URL. */
  imageUrl: string;
}

export interface BundlesProfessionalRouterDataStepsItemError {
  /** What went wrong. Codes are stable: key a retry on this and on `retryable`. */
  code: "SVC_INVALID_INPUT" | "SVC_INVALID_IDENTIFIER" | "SVC_AUTH_INVALID" | "SVC_KEY_ENVIRONMENT_MISMATCH" | "SVC_INSUFFICIENT_BALANCE" | "SVC_IP_NOT_ALLOWED" | "SVC_NOT_FOUND" | "SVC_IDEMPOTENCY_CONFLICT" | "SVC_NO_RECORD_FOUND" | "SVC_RATE_LIMITED" | "SVC_PROVIDER_ERROR" | "SVC_SOURCE_UNAVAILABLE" | "SVC_SOURCE_TIMEOUT" | "SVC_INTERNAL_ERROR";
  /** What went wrong, for people. */
  message: string;
  /** Whether the same call may succeed later. */
  retryable: boolean;
}

export interface BundlesProfessionalRouterDataStepsItemBilling {
  charged: boolean;
  amount: number;
  currency: "INR";
  walletBalanceAfter?: number;
}

export interface BundlesProfessionalRouterDataStepsItem {
  /** The operation that was run. */
  endpoint: string;
  /** The step can be looked up by it. */
  verificationId: string;
  status: "completed" | "pending" | "failed";
  /** The result, as the operation alone gives it. */
  data?: Record<string, unknown>;
  /** Why there is no result. */
  error?: BundlesProfessionalRouterDataStepsItemError;
  /** What this call costs. */
  billing: BundlesProfessionalRouterDataStepsItemBilling;
}

export interface BundlesProfessionalRouterData {
  bundle: "professional-router";
  steps: Array<BundlesProfessionalRouterDataStepsItem>;
}

export interface BundlesProfessionalRouterRequest {
  /** Which step is run. */
  body_type: "CA" | "CS" | "CMA";
  /** Membership number. */
  membershipNumber: string;
}

export interface BundlesFullBusinessVerificationDataStepsItemError {
  /** What went wrong. Codes are stable: key a retry on this and on `retryable`. */
  code: "SVC_INVALID_INPUT" | "SVC_INVALID_IDENTIFIER" | "SVC_AUTH_INVALID" | "SVC_KEY_ENVIRONMENT_MISMATCH" | "SVC_INSUFFICIENT_BALANCE" | "SVC_IP_NOT_ALLOWED" | "SVC_NOT_FOUND" | "SVC_IDEMPOTENCY_CONFLICT" | "SVC_NO_RECORD_FOUND" | "SVC_RATE_LIMITED" | "SVC_PROVIDER_ERROR" | "SVC_SOURCE_UNAVAILABLE" | "SVC_SOURCE_TIMEOUT" | "SVC_INTERNAL_ERROR";
  /** What went wrong, for people. */
  message: string;
  /** Whether the same call may succeed later. */
  retryable: boolean;
}

export interface BundlesFullBusinessVerificationDataStepsItemBilling {
  charged: boolean;
  amount: number;
  currency: "INR";
  walletBalanceAfter?: number;
}

export interface BundlesFullBusinessVerificationDataStepsItem {
  /** The operation that was run. */
  endpoint: string;
  /** The step can be looked up by it. */
  verificationId: string;
  status: "completed" | "pending" | "failed";
  /** The result, as the operation alone gives it. */
  data?: Record<string, unknown>;
  /** Why there is no result. */
  error?: BundlesFullBusinessVerificationDataStepsItemError;
  /** What this call costs. */
  billing: BundlesFullBusinessVerificationDataStepsItemBilling;
}

export interface BundlesFullBusinessVerificationData {
  bundle: "full-business-verification";
  steps: Array<BundlesFullBusinessVerificationDataStepsItem>;
}

export interface BundlesFullBusinessVerificationRequest {
  /** Udyam registration number: UDYAM, 2 letters, 2 digits and 7 digits with hyphens between. */
  udyamNumber: string;
  /** CIN of a company or LLPIN of a partnership: 21 letters or digits, or an LLPIN of 3 letters, a hyphen and 4 digits. */
  cin: string;
  /** Importer-exporter code: 10 letters or digits. */
  iec: string;
  /** Name to screen. */
  name: string;
  /** Date of birth: a date written DD/MM/YYYY. */
  dateOfBirth?: string;
  /** ISO code of the country: an ISO country code. */
  nationality?: string;
  /** Categories to search; all when left out. */
  includeCategories?: Array<"SANCTIONS" | "PEP" | "ADVERSE_MEDIA" | "REGULATORY" | "LAW_ENFORCEMENT">;
  /** Tax deduction account number: 10 letters or digits. */
  tan: string;
}

export interface BundlesDirectorDueDiligenceDataStepsItemError {
  /** What went wrong. Codes are stable: key a retry on this and on `retryable`. */
  code: "SVC_INVALID_INPUT" | "SVC_INVALID_IDENTIFIER" | "SVC_AUTH_INVALID" | "SVC_KEY_ENVIRONMENT_MISMATCH" | "SVC_INSUFFICIENT_BALANCE" | "SVC_IP_NOT_ALLOWED" | "SVC_NOT_FOUND" | "SVC_IDEMPOTENCY_CONFLICT" | "SVC_NO_RECORD_FOUND" | "SVC_RATE_LIMITED" | "SVC_PROVIDER_ERROR" | "SVC_SOURCE_UNAVAILABLE" | "SVC_SOURCE_TIMEOUT" | "SVC_INTERNAL_ERROR";
  /** What went wrong, for people. */
  message: string;
  /** Whether the same call may succeed later. */
  retryable: boolean;
}

export interface BundlesDirectorDueDiligenceDataStepsItemBilling {
  charged: boolean;
  amount: number;
  currency: "INR";
  walletBalanceAfter?: number;
}

export interface BundlesDirectorDueDiligenceDataStepsItem {
  /** The operation that was run. */
  endpoint: string;
  /** The step can be looked up by it. */
  verificationId: string;
  status: "completed" | "pending" | "failed";
  /** The result, as the operation alone gives it. */
  data?: Record<string, unknown>;
  /** Why there is no result. */
  error?: BundlesDirectorDueDiligenceDataStepsItemError;
  /** What this call costs. */
  billing: BundlesDirectorDueDiligenceDataStepsItemBilling;
}

export interface BundlesDirectorDueDiligenceData {
  bundle: "director-due-diligence";
  steps: Array<BundlesDirectorDueDiligenceDataStepsItem>;
}

export interface BundlesDirectorDueDiligenceRequest {
  /** Director identification number: 8 digits. */
  din: string;
  /** CIN of a company or LLPIN of a partnership: 21 letters or digits, or an LLPIN of 3 letters, a hyphen and 4 digits. */
  cin?: string;
}

export interface BundlesEmploymentClaimVerificationDataStepsItemError {
  /** What went wrong. Codes are stable: key a retry on this and on `retryable`. */
  code: "SVC_INVALID_INPUT" | "SVC_INVALID_IDENTIFIER" | "SVC_AUTH_INVALID" | "SVC_KEY_ENVIRONMENT_MISMATCH" | "SVC_INSUFFICIENT_BALANCE" | "SVC_IP_NOT_ALLOWED" | "SVC_NOT_FOUND" | "SVC_IDEMPOTENCY_CONFLICT" | "SVC_NO_RECORD_FOUND" | "SVC_RATE_LIMITED" | "SVC_PROVIDER_ERROR" | "SVC_SOURCE_UNAVAILABLE" | "SVC_SOURCE_TIMEOUT" | "SVC_INTERNAL_ERROR";
  /** What went wrong, for people. */
  message: string;
  /** Whether the same call may succeed later. */
  retryable: boolean;
}

export interface BundlesEmploymentClaimVerificationDataStepsItemBilling {
  charged: boolean;
  amount: number;
  currency: "INR";
  walletBalanceAfter?: number;
}

export interface BundlesEmploymentClaimVerificationDataStepsItem {
  /** The operation that was run. */
  endpoint: string;
  /** The step can be looked up by it. */
  verificationId: string;
  status: "completed" | "pending" | "failed";
  /** The result, as the operation alone gives it. */
  data?: Record<string, unknown>;
  /** Why there is no result. */
  error?: BundlesEmploymentClaimVerificationDataStepsItemError;
  /** What this call costs. */
  billing: BundlesEmploymentClaimVerificationDataStepsItemBilling;
}

export interface BundlesEmploymentClaimVerificationData {
  bundle: "employment-claim-verification";
  steps: Array<BundlesEmploymentClaimVerificationDataStepsItem>;
}

export interface BundlesEmploymentClaimVerificationRequest {
  /** Mobile number known to the provident fund: 10 digits. */
  mobile: string;
  /** Universal account number: 12 digits. */
  uan?: string;
  /** Name of the establishment, or a part of it. */
  name?: string;
}

export interface BundlesCreditBureauReportDataStepsItemError {
  /** What went wrong. Codes are stable: key a retry on this and on `retryable`. */
  code: "SVC_INVALID_INPUT" | "SVC_INVALID_IDENTIFIER" | "SVC_AUTH_INVALID" | "SVC_KEY_ENVIRONMENT_MISMATCH" | "SVC_INSUFFICIENT_BALANCE" | "SVC_IP_NOT_ALLOWED" | "SVC_NOT_FOUND" | "SVC_IDEMPOTENCY_CONFLICT" | "SVC_NO_RECORD_FOUND" | "SVC_RATE_LIMITED" | "SVC_PROVIDER_ERROR" | "SVC_SOURCE_UNAVAILABLE" | "SVC_SOURCE_TIMEOUT" | "SVC_INTERNAL_ERROR";
  /** What went wrong, for people. */
  message: string;
  /** Whether the same call may succeed later. */
  retryable: boolean;
}

export interface BundlesCreditBureauReportDataStepsItemBilling {
  charged: boolean;
  amount: number;
  currency: "INR";
  walletBalanceAfter?: number;
}

export interface BundlesCreditBureauReportDataStepsItem {
  /** The operation that was run. */
  endpoint: string;
  /** The step can be looked up by it. */
  verificationId: string;
  status: "completed" | "pending" | "failed";
  /** The result, as the operation alone gives it. */
  data?: Record<string, unknown>;
  /** Why there is no result. */
  error?: BundlesCreditBureauReportDataStepsItemError;
  /** What this call costs. */
  billing: BundlesCreditBureauReportDataStepsItemBilling;
}

export interface BundlesCreditBureauReportData {
  bundle: "credit-bureau-report";
  steps: Array<BundlesCreditBureauReportDataStepsItem>;
}

export interface BundlesCreditBureauReportRequestConsentArtifact {
  /** When consent was given. */
  timestamp: string;
  /** Address it was given from. */
  ip: string;
  /** Identifier of the message that asked for it. */
  messageId: string;
}

export interface BundlesCreditBureauReportRequest {
  /** Permanent account number: 5 letters, 4 digits and a letter. */
  pan: string;
  /** Mobile number known to the bureau: 10 digits. */
  mobile: string;
  /** Name as on the PAN. */
  name: string;
  /** Date of birth: a date written DD/MM/YYYY. */
  dateOfBirth: string;
  /** Proof of the person's consent. */
  consentArtifact: BundlesCreditBureauReportRequestConsentArtifact;
}

export interface BundlesVehicleForensicVerificationDataStepsItemError {
  /** What went wrong. Codes are stable: key a retry on this and on `retryable`. */
  code: "SVC_INVALID_INPUT" | "SVC_INVALID_IDENTIFIER" | "SVC_AUTH_INVALID" | "SVC_KEY_ENVIRONMENT_MISMATCH" | "SVC_INSUFFICIENT_BALANCE" | "SVC_IP_NOT_ALLOWED" | "SVC_NOT_FOUND" | "SVC_IDEMPOTENCY_CONFLICT" | "SVC_NO_RECORD_FOUND" | "SVC_RATE_LIMITED" | "SVC_PROVIDER_ERROR" | "SVC_SOURCE_UNAVAILABLE" | "SVC_SOURCE_TIMEOUT" | "SVC_INTERNAL_ERROR";
  /** What went wrong, for people. */
  message: string;
  /** Whether the same call may succeed later. */
  retryable: boolean;
}

export interface BundlesVehicleForensicVerificationDataStepsItemBilling {
  charged: boolean;
  amount: number;
  currency: "INR";
  walletBalanceAfter?: number;
}

export interface BundlesVehicleForensicVerificationDataStepsItem {
  /** The operation that was run. */
  endpoint: string;
  /** The step can be looked up by it. */
  verificationId: string;
  status: "completed" | "pending" | "failed";
  /** The result, as the operation alone gives it. */
  data?: Record<string, unknown>;
  /** Why there is no result. */
  error?: BundlesVehicleForensicVerificationDataStepsItemError;
  /** What this call costs. */
  billing: BundlesVehicleForensicVerificationDataStepsItemBilling;
}

export interface BundlesVehicleForensicVerificationData {
  bundle: "vehicle-forensic-verification";
  steps: Array<BundlesVehicleForensicVerificationDataStepsItem>;
}

export interface BundlesVehicleForensicVerificationRequest {
  /** Registration number: a text without spaces. */
  rcNumber: string;
  /** Engine number. */
  engineNumber: string;
  /** Chassis number. */
  chassisNumber: string;
  /** Registration number of the vehicle. */
  vehicleNumber: string;
}

export interface BundlesAddressUtilityVerificationDataStepsItemError {
  /** What went wrong. Codes are stable: key a retry on this and on `retryable`. */
  code: "SVC_INVALID_INPUT" | "SVC_INVALID_IDENTIFIER" | "SVC_AUTH_INVALID" | "SVC_KEY_ENVIRONMENT_MISMATCH" | "SVC_INSUFFICIENT_BALANCE" | "SVC_IP_NOT_ALLOWED" | "SVC_NOT_FOUND" | "SVC_IDEMPOTENCY_CONFLICT" | "SVC_NO_RECORD_FOUND" | "SVC_RATE_LIMITED" | "SVC_PROVIDER_ERROR" | "SVC_SOURCE_UNAVAILABLE" | "SVC_SOURCE_TIMEOUT" | "SVC_INTERNAL_ERROR";
  /** What went wrong, for people. */
  message: string;
  /** Whether the same call may succeed later. */
  retryable: boolean;
}

export interface BundlesAddressUtilityVerificationDataStepsItemBilling {
  charged: boolean;
  amount: number;
  currency: "INR";
  walletBalanceAfter?: number;
}

export interface BundlesAddressUtilityVerificationDataStepsItem {
  /** The operation that was run. */
  endpoint: string;
  /** The step can be looked up by it. */
  verificationId: string;
  status: "completed" | "pending" | "failed";
  /** The result, as the operation alone gives it. */
  data?: Record<string, unknown>;
  /** Why there is no result. */
  error?: BundlesAddressUtilityVerificationDataStepsItemError;
  /** What this call costs. */
  billing: BundlesAddressUtilityVerificationDataStepsItemBilling;
}

export interface BundlesAddressUtilityVerificationData {
  bundle: "address-utility-verification";
  steps: Array<BundlesAddressUtilityVerificationDataStepsItem>;
}

export interface BundlesAddressUtilityVerificationRequest {
  /** Consumer number. */
  consumerNumber: string;
  /** Code of the provider. */
  serviceProvider: string;
  /** Mobile number known to the provider: 10 digits. */
  registeredMobile?: string;
  /** Full name of the state, in capitals: a name without small letters. */
  state: string;
  /** City. */
  city: string;
  /** Number of the property. */
  propertyNumber: string;
  /** Name of the local body, in capitals: a name without small letters. */
  ulb?: string;
  /** Business partner number. */
  bpNumber: string;
}

export interface BundlesDynamicBankValidationDataStepsItemError {
  /** What went wrong. Codes are stable: key a retry on this and on `retryable`. */
  code: "SVC_INVALID_INPUT" | "SVC_INVALID_IDENTIFIER" | "SVC_AUTH_INVALID" | "SVC_KEY_ENVIRONMENT_MISMATCH" | "SVC_INSUFFICIENT_BALANCE" | "SVC_IP_NOT_ALLOWED" | "SVC_NOT_FOUND" | "SVC_IDEMPOTENCY_CONFLICT" | "SVC_NO_RECORD_FOUND" | "SVC_RATE_LIMITED" | "SVC_PROVIDER_ERROR" | "SVC_SOURCE_UNAVAILABLE" | "SVC_SOURCE_TIMEOUT" | "SVC_INTERNAL_ERROR";
  /** What went wrong, for people. */
  message: string;
  /** Whether the same call may succeed later. */
  retryable: boolean;
}

export interface BundlesDynamicBankValidationDataStepsItemBilling {
  charged: boolean;
  amount: number;
  currency: "INR";
  walletBalanceAfter?: number;
}

export interface BundlesDynamicBankValidationDataStepsItem {
  /** The operation that was run. */
  endpoint: string;
  /** The step can be looked up by it. */
  verificationId: string;
  status: "completed" | "pending" | "failed";
  /** The result, as the operation alone gives it. */
  data?: Record<string, unknown>;
  /** Why there is no result. */
  error?: BundlesDynamicBankValidationDataStepsItemError;
  /** What this call costs. */
  billing: BundlesDynamicBankValidationDataStepsItemBilling;
}

export interface BundlesDynamicBankValidationData {
  bundle: "dynamic-bank-validation";
  steps: Array<BundlesDynamicBankValidationDataStepsItem>;
  /** What the second call carries as `referenceId`. */
  referenceId?: string;
}

export interface BundlesDynamicBankValidationRequest {
  /** Account number. */
  accountNumber?: string;
  /** Code of the branch: 11 letters or digits. */
  ifsc?: string;
  /** From send. */
  referenceId?: string;
  /** The amount the holder saw arrive, with paise: a decimal with paise, such as 1.45. */
  amount?: string;
}

export interface BundlesCompanyTanIdentityDataStepsItemError {
  /** What went wrong. Codes are stable: key a retry on this and on `retryable`. */
  code: "SVC_INVALID_INPUT" | "SVC_INVALID_IDENTIFIER" | "SVC_AUTH_INVALID" | "SVC_KEY_ENVIRONMENT_MISMATCH" | "SVC_INSUFFICIENT_BALANCE" | "SVC_IP_NOT_ALLOWED" | "SVC_NOT_FOUND" | "SVC_IDEMPOTENCY_CONFLICT" | "SVC_NO_RECORD_FOUND" | "SVC_RATE_LIMITED" | "SVC_PROVIDER_ERROR" | "SVC_SOURCE_UNAVAILABLE" | "SVC_SOURCE_TIMEOUT" | "SVC_INTERNAL_ERROR";
  /** What went wrong, for people. */
  message: string;
  /** Whether the same call may succeed later. */
  retryable: boolean;
}

export interface BundlesCompanyTanIdentityDataStepsItemBilling {
  charged: boolean;
  amount: number;
  currency: "INR";
  walletBalanceAfter?: number;
}

export interface BundlesCompanyTanIdentityDataStepsItem {
  /** The operation that was run. */
  endpoint: string;
  /** The step can be looked up by it. */
  verificationId: string;
  status: "completed" | "pending" | "failed";
  /** The result, as the operation alone gives it. */
  data?: Record<string, unknown>;
  /** Why there is no result. */
  error?: BundlesCompanyTanIdentityDataStepsItemError;
  /** What this call costs. */
  billing: BundlesCompanyTanIdentityDataStepsItemBilling;
}

export interface BundlesCompanyTanIdentityData {
  bundle: "company-tan-identity";
  steps: Array<BundlesCompanyTanIdentityDataStepsItem>;
}

export interface BundlesCompanyTanIdentityRequest {
  /** Tax deduction account number: 10 letters or digits. */
  tan: string;
  /** CIN of a company or LLPIN of a partnership: 21 letters or digits, or an LLPIN of 3 letters, a hyphen and 4 digits. */
  cin: string;
}
