"""What `data` holds, by operation. Written by kits/generate.py from /openapi.json: change that, not this."""

from typing import Any, Dict, List, Literal, TypedDict, Union


class _UsageDataEndpointsItem(TypedDict):
    calls: int
    completed: int
    noRecord: int
    failed: int
    billed: int
    amount: float


class UsageDataEndpointsItem(_UsageDataEndpointsItem, total=False):
    endpoint: str


class UsageDataTotals(TypedDict):
    calls: int
    completed: int
    noRecord: int
    failed: int
    billed: int
    amount: float


class _UsageData(TypedDict):
    endpoints: List["UsageDataEndpointsItem"]
    totals: "UsageDataTotals"


class UsageData(_UsageData, total=False):
    walletBalance: float


class VerifyIdentityPanData(TypedDict):
    pan: str
    name: str
    nameMatchScore: float
    nameOnPan: str
    category: str
    panStatus: str
    lastUpdated: str


VerifyIdentityDlDataValidityNonTransport = TypedDict(
    "VerifyIdentityDlDataValidityNonTransport",
    {
        "from": str,
        "to": str,
    },
)


VerifyIdentityDlDataValidityTransport = TypedDict(
    "VerifyIdentityDlDataValidityTransport",
    {
        "from": str,
        "to": str,
    },
)


class VerifyIdentityDlDataValidity(TypedDict):
    nonTransport: "VerifyIdentityDlDataValidityNonTransport"
    transport: "VerifyIdentityDlDataValidityTransport"


class VerifyIdentityDlDataSplitAddress(TypedDict):
    addressLine: str
    city: str
    district: str
    state: str
    stateCode: str
    pincode: str
    country: str


class VerifyIdentityDlData(TypedDict):
    dlNumber: str
    name: str
    fatherOrHusbandName: str
    dateOfBirth: str
    issueDate: str
    validity: "VerifyIdentityDlDataValidity"
    vehicleClasses: List[str]
    rtoOffice: str
    address: str
    splitAddress: "VerifyIdentityDlDataSplitAddress"
    status: str
    photo: str


class VerifyIdentityVoterDataSplitAddress(TypedDict):
    addressLine: str
    city: str
    district: str
    state: str
    stateCode: str
    pincode: str
    country: str


class VerifyIdentityVoterDataConstituency(TypedDict):
    assemblyNumber: str
    assemblyName: str
    parliamentaryNumber: str
    parliamentaryName: str


class VerifyIdentityVoterDataPollingStation(TypedDict):
    partNumber: str
    serialNumber: str
    name: str
    address: str


class VerifyIdentityVoterData(TypedDict):
    epicNumber: str
    name: str
    nameInRegionalLang: str
    age: int
    gender: str
    fatherName: str
    relationType: str
    address: str
    splitAddress: "VerifyIdentityVoterDataSplitAddress"
    constituency: "VerifyIdentityVoterDataConstituency"
    pollingStation: "VerifyIdentityVoterDataPollingStation"


class VerifyIdentityPassportData(TypedDict):
    fileNumber: str
    givenName: str
    surname: str
    fullName: str
    dateOfBirth: str
    typeOfApplication: str
    applicationReceivedOn: str


class VerifyIdentityFaceLivenessData(TypedDict):
    isLive: bool
    livenessScore: float
    multipleFacesDetected: bool
    reviewNeeded: bool


class _VerifyIdentityFaceMatchData(TypedDict):
    match: bool
    matchScore: float
    confidence: float
    reviewNeeded: bool


class VerifyIdentityFaceMatchData(_VerifyIdentityFaceMatchData, total=False):
    faceCount1: int
    faceCount2: int


VerifyIdentityMobileOtpStartData = TypedDict(
    "VerifyIdentityMobileOtpStartData",
    {
        "request_id": str,
        "status-code": str,
        "message": str,
    },
)


VerifyIdentityMobileOtpVerifyData = TypedDict(
    "VerifyIdentityMobileOtpVerifyData",
    {
        "provider": str,
        "otp_validated": bool,
        "status-code": str,
    },
)


class VerifyIdentityMobileOtpFetchDataPaymentHistoryItem(TypedDict):
    month: str
    amount: float
    status: str


class VerifyIdentityMobileOtpFetchData(TypedDict):
    name: str
    date_of_birth: str
    address: str
    alt_contact: str
    provider: str
    type: str
    paymentHistory: List["VerifyIdentityMobileOtpFetchDataPaymentHistoryItem"]


class VerifyIdentityMobileOtpSStartData(TypedDict):
    referenceId: str


class VerifyIdentityMobileOtpSFetchDataPaymentHistoryItem(TypedDict):
    month: str
    amount: float
    status: str


class VerifyIdentityMobileOtpSFetchData(TypedDict):
    name: str
    dob: str
    billingType: str
    mobileNetworkOperator: str
    alternatePhone: str
    email: str
    paymentHistory: List["VerifyIdentityMobileOtpSFetchDataPaymentHistoryItem"]


class VerifyEmploymentUanLookupData(TypedDict):
    mobile: str
    uanList: List[str]


class VerifyEmploymentUanDataEmploymentHistoryItem(TypedDict):
    establishmentId: str
    establishmentName: str
    doj: str
    dol: str
    designation: str
    memberId: str


class _VerifyEmploymentUanData(TypedDict):
    uan: str


class VerifyEmploymentUanData(_VerifyEmploymentUanData, total=False):
    memberName: str
    dateOfBirth: str
    employmentHistory: List["VerifyEmploymentUanDataEmploymentHistoryItem"]


class VerifyEmploymentEpfoEstablishmentDataContributionHistoryItem(TypedDict):
    month: str
    employerShare: float
    employeeShare: float
    memberCount: int


class VerifyEmploymentEpfoEstablishmentData(TypedDict):
    establishmentId: str
    establishmentName: str
    address: str
    businessActivity: str
    registrationDate: str
    status: str
    totalEmployees: int
    contributionHistory: List["VerifyEmploymentEpfoEstablishmentDataContributionHistoryItem"]


class VerifyEmploymentEpfoNameSearchDataMatchesItem(TypedDict):
    establishmentId: str
    establishmentName: str


class VerifyEmploymentEpfoNameSearchData(TypedDict):
    matches: List["VerifyEmploymentEpfoNameSearchDataMatchesItem"]


class VerifyCompanyMcaCinLookupDataMatchesItem(TypedDict):
    cin: str
    companyName: str
    status: str


class VerifyCompanyMcaCinLookupData(TypedDict):
    matches: List["VerifyCompanyMcaCinLookupDataMatchesItem"]


class VerifyCompanyMcaMasterData(TypedDict):
    cin: str
    companyName: str
    registrationNumber: str
    companyStatus: str
    companyCategory: str
    companySubcategory: str
    classOfCompany: str
    incorporationDate: str
    registeredOffice: str
    authorizedCapital: float
    paidUpCapital: float
    lastAgmDate: str
    lastFilingDate: str
    registrar: str


class VerifyCompanyMcaSignatoriesDataDirectorsItem(TypedDict):
    din: str
    name: str
    designation: str
    appointmentDate: str
    endDate: str


class VerifyCompanyMcaSignatoriesData(TypedDict):
    cin: str
    directors: List["VerifyCompanyMcaSignatoriesDataDirectorsItem"]


class VerifyCompanyMcaSearchData(TypedDict):
    cins: List[str]


class VerifyCompanyRocDirectorDataCompaniesItem(TypedDict):
    cin: str
    companyName: str
    beginDate: str
    endDate: str


class VerifyCompanyRocDirectorData(TypedDict):
    din: str
    name: str
    fatherName: str
    dateOfBirth: str
    panNumber: str
    dinStatus: str
    nationality: str
    noOfCompanies: int
    companies: List["VerifyCompanyRocDirectorDataCompaniesItem"]


class VerifyCompanyTanData(TypedDict):
    tan: str
    name: str
    category: str
    status: str


class VerifyCompanyUdyamDataProfile(TypedDict):
    name: str
    majorActivity: str
    organizationType: str
    ownerName: Union[str, None]
    pan: Union[str, None]
    socialCategory: str
    dateOfIncorporation: str
    dateOfCommencement: str


class VerifyCompanyUdyamDataOfficialAddress(TypedDict):
    flat: str
    premises: str
    road: str
    city: str
    district: str
    state: str
    pincode: str


class VerifyCompanyUdyamDataIndustryItem(TypedDict):
    nicCode: str
    industry: str
    subSector: str
    activityDescription: str
    activity: str


class VerifyCompanyUdyamDataBranchDetailsItem(TypedDict):
    name: str
    flat: str
    premises: str
    road: str
    city: str
    state: str
    pincode: str


class VerifyCompanyUdyamDataEmploymentDetails(TypedDict):
    male: Union[str, None]
    female: Union[str, None]
    others: Union[str, None]
    total: Union[str, None]


class VerifyCompanyUdyamDataFinancialsDetails(TypedDict):
    wdvPme: Union[str, None]
    netInvestmentInPme: Union[str, None]
    totalTurnover: Union[str, None]


class VerifyCompanyUdyamDataFinancials(TypedDict):
    financialYear: Union[str, None]
    details: "VerifyCompanyUdyamDataFinancialsDetails"


class VerifyCompanyUdyamData(TypedDict):
    udyamRegistrationNo: str
    dateOfRegistration: str
    profile: "VerifyCompanyUdyamDataProfile"
    officialAddress: "VerifyCompanyUdyamDataOfficialAddress"
    industry: List["VerifyCompanyUdyamDataIndustryItem"]
    branchDetails: List["VerifyCompanyUdyamDataBranchDetailsItem"]
    employmentDetails: "VerifyCompanyUdyamDataEmploymentDetails"
    financials: "VerifyCompanyUdyamDataFinancials"


class VerifyCompanyUdyamOtpConfirmData(TypedDict):
    udyamNumber: str


class VerifyCompanyIecDataBranchesItem(TypedDict):
    address: str


class VerifyCompanyIecData(TypedDict):
    iec: str
    entityName: str
    iecIssueDate: str
    iecStatus: str
    natureOfBusiness: str
    branches: List["VerifyCompanyIecDataBranchesItem"]


class VerifyCompanyShopEstablishmentData(TypedDict):
    registrationNumber: str
    establishmentName: str
    ownerName: str
    address: str
    natureOfBusiness: str
    registrationDate: str
    validUpto: str
    status: str


class VerifyCompanyTinData(TypedDict):
    tinNumber: str
    dealerName: str
    state: str
    status: str
    registrationDate: str


class VerifyCompanyGstData(TypedDict):
    gstin: str
    isValid: bool
    businessName: str
    legalName: str
    tradeName: str
    registrationDate: str
    taxpayerType: str
    status: str
    constitution: str
    principalAddress: str
    stateJurisdiction: str
    centerJurisdiction: str
    pan: str


class VerifyCompanyGstDetailedDataAdditionalAddressesItem(TypedDict):
    address: str
    type: str


class VerifyCompanyGstDetailedDataReturnsFilingHistoryItem(TypedDict):
    returnType: str
    periodOfReturn: str
    dateOfFiling: str
    status: str


class VerifyCompanyGstDetailedData(TypedDict):
    gstin: str
    isValid: bool
    businessName: str
    legalName: str
    tradeName: str
    registrationDate: str
    taxpayerType: str
    status: str
    constitution: str
    principalAddress: str
    stateJurisdiction: str
    centerJurisdiction: str
    pan: str
    additionalAddresses: List["VerifyCompanyGstDetailedDataAdditionalAddressesItem"]
    natureOfBusiness: List[str]
    returnsFilingFrequency: str
    returnsFilingHistory: List["VerifyCompanyGstDetailedDataReturnsFilingHistoryItem"]
    complianceRating: str
    lateFilingPenalty: float


class VerifyMembershipCaData(TypedDict):
    membershipNumber: str
    name: str
    designation: str
    category: str
    memberSince: str
    cpNumber: str
    region: str


class VerifyMembershipCsData(TypedDict):
    membershipNumber: str
    name: str
    designation: str
    memberCategory: str
    city: str
    address: str
    cpNumber: str
    photo: str


class VerifyMembershipCmaData(TypedDict):
    membershipNumber: str
    firstName: str
    middleName: str
    surname: str
    fullName: str
    memberCategory: str
    region: str
    chapter: str


class VerifyContactEmailData(TypedDict):
    email: str
    result: str
    deliverable: bool
    disposable: bool
    webmail: bool
    smtp_check: bool
    mx_records: bool
    blocked: bool


class VerifyFinancialBankAccountData(TypedDict):
    accountActive: bool
    accountHolderName: str
    nameMatch: bool
    nameMatchScore: float
    bankName: str
    branchName: str


class VerifyFinancialBankDynamicSendDataAuditTrail(TypedDict):
    nature: str
    value: str
    timestamp: str


class VerifyFinancialBankDynamicSendData(TypedDict):
    active: bool
    reason: str
    auditTrail: "VerifyFinancialBankDynamicSendDataAuditTrail"
    beneficiaryName: str
    beneficiaryIfsc: str
    referenceId: str
    amountSent: float


class VerifyFinancialBankDynamicVerifyData(TypedDict):
    amountMatch: bool
    accountHolderName: str


class VerifyFinancialCreditReportDataAccountsItem(TypedDict):
    accountType: str
    memberName: str
    openDate: str
    status: str
    balance: float
    creditLimit: float


class VerifyFinancialCreditReportData(TypedDict):
    score: int
    scoreBand: str
    totalAccounts: int
    activeAccounts: int
    closedAccounts: int
    highCreditAmount: float
    currentBalance: float
    overdueAmount: float
    delinquentAccounts: int
    inquiriesLast6Months: int
    accounts: List["VerifyFinancialCreditReportDataAccountsItem"]


class VerifyFinancialCreditReportConsentArtifact(TypedDict):
    timestamp: str
    ip: str
    messageId: str


class VerifyFinancialIfscData(TypedDict):
    verification_id: str
    reference_id: int
    status: str
    bank: str
    ifsc: str
    neft: Literal['Live', 'Not Live']
    imps: Literal['Live', 'Not Live']
    rtgs: Literal['Live', 'Not Live']
    upi: Literal['Live', 'Not Live']
    ft: Literal['Live', 'Not Live']
    card: Literal['Live', 'Not Live']
    micr: int
    nbin: int
    address: str
    city: str
    state: str
    branch: str
    ifsc_subcode: str
    swift_code: str


class VerifyFinancialBankHybridData(TypedDict):
    active: Literal['yes', 'no']
    reason: str
    nameMatch: Literal['yes', 'no']
    mobileMatch: Literal['yes', 'no', 'not available']
    nameMatchScore: float
    bankRRN: str
    beneName: str
    beneIFSC: str


class VerifyFinancialBankAccountV1Data(TypedDict):
    statusCode: str
    status: str
    acValidationStatus: Literal['ACCOUNT_VALID', 'ACCOUNT_INVALID']
    message: str
    custName: str
    nameAtBank: str
    custAcctNo: str
    custIfsc: str
    bankCode: str
    methodUsed: Literal['PENNY_DROP', 'PENNY_LESS', 'HYBRID']
    fuzzyLogicScore: str
    utr: str


class VerifyFinancialBankAccountV1StatusData(TypedDict):
    statusCode: str
    status: str
    acValidationStatus: Literal['ACCOUNT_VALID', 'ACCOUNT_INVALID']
    requestId: str
    nameAtBank: str
    bankCode: str
    methodUsed: Literal['PENNY_DROP', 'PENNY_LESS', 'HYBRID']


class ScreenNegativeDiligenceDataMatchesItem(TypedDict):
    category: Literal['SANCTIONS', 'PEP', 'ADVERSE_MEDIA', 'REGULATORY', 'LAW_ENFORCEMENT']
    source: str
    name: str
    matchScore: float
    details: str


class _ScreenNegativeDiligenceData(TypedDict):
    clean: bool
    matchCount: int
    categoriesHit: List[Literal['SANCTIONS', 'PEP', 'ADVERSE_MEDIA', 'REGULATORY', 'LAW_ENFORCEMENT']]


class ScreenNegativeDiligenceData(_ScreenNegativeDiligenceData, total=False):
    matches: List["ScreenNegativeDiligenceDataMatchesItem"]


class ScreenMobileMnrlData(TypedDict):
    mobile: str
    matchFound: bool
    category: str


class _ScreenMobileSilentData(TypedDict):
    customerName: str
    alternateNumber: str
    isValid: bool
    subscriberStatus: str
    connectionType: str
    currentServiceProvider: str
    networkRegion: str


class ScreenMobileSilentData(_ScreenMobileSilentData, total=False):
    originalServiceProvider: str
    isPorted: bool


class ScreenIpQualityData(TypedDict):
    ip: str
    fraudScore: int
    isProxy: bool
    isVpn: bool
    isTor: bool
    isBot: bool
    isCrawler: bool
    isAbuser: bool
    country: str
    region: str
    city: str
    isp: str
    asn: str


class ScreenEmailFraudData(TypedDict):
    email: str
    fraudScore: int
    riskLevel: Literal['LOW', 'MEDIUM', 'HIGH']
    deliverable: bool
    disposable: bool
    freeProvider: bool
    domainAgeDays: int
    breachCount: int
    firstSeenDaysAgo: int


class ScreenCourtRecordsDataCandidate(TypedDict):
    name: str
    father_name: str
    dob: str
    state: str
    city: str


class ScreenCourtRecordsDataTierCounts(TypedDict):
    high: int
    medium: int
    low: int


class ScreenCourtRecordsDataCasesItem(TypedDict):
    cnr: str
    court: str
    caseType: str
    filingDate: str
    status: str
    tier: str
    summary: str


class ScreenCourtRecordsDataSearchLogItem(TypedDict):
    variant: str
    http: int
    latency_ms: int
    total_hits: int
    new_cnrs: int


class ScreenCourtRecordsData(TypedDict):
    candidate: "ScreenCourtRecordsDataCandidate"
    verdict: Literal['CLEAR', 'RECORDS_FOUND']
    tier_counts: "ScreenCourtRecordsDataTierCounts"
    cases: List["ScreenCourtRecordsDataCasesItem"]
    cases_total: int
    search_log: List["ScreenCourtRecordsDataSearchLogItem"]
    records_scanned: int
    variants_run: List[str]
    credits_used: float
    gpt: Union[str, None]
    gpt_raw: Union[str, None]
    gpt_tokens: int
    state_auto_derived: bool
    dob_filtered: int
    min_filing_year: int
    pipeline_ms: int


class VerifyUtilityVehicleRcDataInsurance(TypedDict):
    company: str
    policyNumber: str
    validUpto: str


class VerifyUtilityVehicleRcData(TypedDict):
    registrationNumber: str
    ownerName: str
    fatherName: str
    vehicleManufacturer: str
    model: str
    vehicleClass: str
    fuelType: str
    manufacturingMonthYear: str
    registrationDate: str
    rcExpiryDate: str
    address: str
    rtoCode: str
    rtoOffice: str
    insurance: "VerifyUtilityVehicleRcDataInsurance"
    puccNumber: str
    puccValidUpto: str
    status: str
    blacklistStatus: str


class VerifyUtilityVehicleRcReverseData(TypedDict):
    registrationNumber: str
    engineNumber: str
    chassisNumber: str
    ownerName: str
    vehicleManufacturer: str
    model: str
    vehicleClass: str
    status: str


class VerifyUtilityFastagData(TypedDict):
    tagId: str
    vehicleNumber: str
    tagStatus: str
    vehicleClass: str
    issueDate: str
    issuerBank: str


class VerifyUtilityElectricityData(TypedDict):
    consumerNumber: str
    consumerName: str
    billAmount: str
    billDueDate: str
    address: str
    provider: str


class VerifyUtilityPropertyTaxData(TypedDict):
    propertyNumber: str
    ownerName: str
    propertyAddress: str
    ward: str
    billAmount: str
    dueDate: str
    lastPaidAmount: str
    lastPaidDate: str


class VerifyUtilityPngData(TypedDict):
    bpNumber: str
    consumerName: str
    address: str
    connectionStatus: str
    billAmount: str
    dueDate: str


class VerifyUtilityLpgData(TypedDict):
    lpgId: str
    consumerName: str
    distributor: str
    address: str
    subsidyStatus: str


class VerifyDocumentForgeryDataImageResultsItemSummary(TypedDict):
    status: Literal['Not Forged', 'Forged']
    spliceDetection: Literal['Yes', 'No']
    spliceDetectionScore: float
    photocopyDetection: Literal['Yes', 'No']
    photocopyDetectionScore: float
    webcheckDetection: Literal['Yes', 'No']
    webcheckDetectionScore: float
    screenshotDetection: Literal['Yes', 'No']
    screenshotDetectionScore: float
    textmatch: str
    textmatchScore: float
    reason: str


class VerifyDocumentForgeryDataImageResultsItemMetadata(TypedDict):
    resolution: List[int]
    cameraMake: str
    cameraModel: str
    software: str
    captureDate: str


class VerifyDocumentForgeryDataImageResultsItem(TypedDict):
    imageUrl: str
    summary: "VerifyDocumentForgeryDataImageResultsItemSummary"
    metadata: "VerifyDocumentForgeryDataImageResultsItemMetadata"


class _VerifyDocumentForgeryData(TypedDict):
    trackingId: str


class VerifyDocumentForgeryData(_VerifyDocumentForgeryData, total=False):
    imageResults: List["VerifyDocumentForgeryDataImageResultsItem"]


class VerifyDocumentDigilockerData(TypedDict):
    consentUrl: str


_VerifyDocumentKycOcrData = TypedDict(
    "_VerifyDocumentKycOcrData",
    {
        "documentType": Literal['PAN', 'AADHAAR', 'VOTER_ID', 'PASSPORT', 'DL'],
        "pageNo": int,
        "ocrData.name": str,
        "ocrData.dob": str,
        "ocrData.pan": str,
        "ocrData.doi": str,
        "ocrData.father": str,
    },
)


_OptionalVerifyDocumentKycOcrData = TypedDict(
    "_OptionalVerifyDocumentKycOcrData",
    {
        "maskedImage": str,
    }, total=False,
)


class VerifyDocumentKycOcrData(_VerifyDocumentKycOcrData, _OptionalVerifyDocumentKycOcrData):
    """Members that are always there, and others."""


VerifyDocumentChequeOcrData = TypedDict(
    "VerifyDocumentChequeOcrData",
    {
        "name": str,
        "accNo": str,
        "chequeNo": str,
        "ifsc": str,
        "micr": str,
        "bank": str,
        "bankDetails.branch": str,
        "bankDetails.city": str,
        "bankDetails.state": str,
    },
)


class VerifyDocumentKycOcrSData(TypedDict):
    docType: str
    status: str
    requestId: str


class VerifyAddressGeocodeData(TypedDict):
    address: str
    latitude: str
    longitude: str
    confidenceScore: float
    city: str
    state: str
    stateCode: str
    country: str
    countryCode: str
    zipcode: str


class VerifyAddressGeoFenceData(TypedDict):
    ip: str
    country: str
    countryCode: str
    state: str
    stateCode: str
    city: str
    zipCode: str
    latitude: float
    longitude: float
    asn: str
    riskip: bool
    validUser: bool


VerifyAddressMatchData = TypedDict(
    "VerifyAddressMatchData",
    {
        "score": float,
        "match": bool,
        "address1.house": str,
        "address1.street": str,
        "address1.pin": int,
        "address1.state": str,
    },
)


class _VerifyAddressSplitData(TypedDict):
    House: str
    Floor: str
    Building: str
    Street: str
    locality: str
    Landmark: str
    Pin: int


class VerifyAddressSplitData(_VerifyAddressSplitData, total=False):
    State: str


class VerifyNameMatchData(TypedDict):
    score: float
    result: bool


class _BundlesFullIdentityKycDataStepsItemBilling(TypedDict):
    charged: bool
    amount: float
    currency: Literal['INR']


class BundlesFullIdentityKycDataStepsItemBilling(_BundlesFullIdentityKycDataStepsItemBilling, total=False):
    walletBalanceAfter: float


class BundlesFullIdentityKycDataStepsItemError(TypedDict):
    code: Literal['SVC_INVALID_INPUT', 'SVC_INVALID_IDENTIFIER', 'SVC_AUTH_INVALID', 'SVC_KEY_ENVIRONMENT_MISMATCH', 'SVC_INSUFFICIENT_BALANCE', 'SVC_IP_NOT_ALLOWED', 'SVC_NOT_FOUND', 'SVC_IDEMPOTENCY_CONFLICT', 'SVC_NO_RECORD_FOUND', 'SVC_RATE_LIMITED', 'SVC_PROVIDER_ERROR', 'SVC_SOURCE_UNAVAILABLE', 'SVC_SOURCE_TIMEOUT', 'SVC_INTERNAL_ERROR']
    message: str
    retryable: bool


class _BundlesFullIdentityKycDataStepsItem(TypedDict):
    endpoint: str
    verificationId: str
    status: Literal['completed', 'pending', 'failed']
    billing: "BundlesFullIdentityKycDataStepsItemBilling"


class BundlesFullIdentityKycDataStepsItem(_BundlesFullIdentityKycDataStepsItem, total=False):
    data: Dict[str, Any]
    error: "BundlesFullIdentityKycDataStepsItemError"


class BundlesFullIdentityKycData(TypedDict):
    bundle: Literal['full-identity-kyc']
    steps: List["BundlesFullIdentityKycDataStepsItem"]


class _BundlesFraudCheckDataStepsItemBilling(TypedDict):
    charged: bool
    amount: float
    currency: Literal['INR']


class BundlesFraudCheckDataStepsItemBilling(_BundlesFraudCheckDataStepsItemBilling, total=False):
    walletBalanceAfter: float


class BundlesFraudCheckDataStepsItemError(TypedDict):
    code: Literal['SVC_INVALID_INPUT', 'SVC_INVALID_IDENTIFIER', 'SVC_AUTH_INVALID', 'SVC_KEY_ENVIRONMENT_MISMATCH', 'SVC_INSUFFICIENT_BALANCE', 'SVC_IP_NOT_ALLOWED', 'SVC_NOT_FOUND', 'SVC_IDEMPOTENCY_CONFLICT', 'SVC_NO_RECORD_FOUND', 'SVC_RATE_LIMITED', 'SVC_PROVIDER_ERROR', 'SVC_SOURCE_UNAVAILABLE', 'SVC_SOURCE_TIMEOUT', 'SVC_INTERNAL_ERROR']
    message: str
    retryable: bool


class _BundlesFraudCheckDataStepsItem(TypedDict):
    endpoint: str
    verificationId: str
    status: Literal['completed', 'pending', 'failed']
    billing: "BundlesFraudCheckDataStepsItemBilling"


class BundlesFraudCheckDataStepsItem(_BundlesFraudCheckDataStepsItem, total=False):
    data: Dict[str, Any]
    error: "BundlesFraudCheckDataStepsItemError"


class BundlesFraudCheckData(TypedDict):
    bundle: Literal['fraud-check']
    steps: List["BundlesFraudCheckDataStepsItem"]
    riskScore: int
    riskLevel: Literal['LOW', 'MEDIUM', 'HIGH']


class _BundlesDocumentForgeryCheckDataStepsItemBilling(TypedDict):
    charged: bool
    amount: float
    currency: Literal['INR']


class BundlesDocumentForgeryCheckDataStepsItemBilling(_BundlesDocumentForgeryCheckDataStepsItemBilling, total=False):
    walletBalanceAfter: float


class BundlesDocumentForgeryCheckDataStepsItemError(TypedDict):
    code: Literal['SVC_INVALID_INPUT', 'SVC_INVALID_IDENTIFIER', 'SVC_AUTH_INVALID', 'SVC_KEY_ENVIRONMENT_MISMATCH', 'SVC_INSUFFICIENT_BALANCE', 'SVC_IP_NOT_ALLOWED', 'SVC_NOT_FOUND', 'SVC_IDEMPOTENCY_CONFLICT', 'SVC_NO_RECORD_FOUND', 'SVC_RATE_LIMITED', 'SVC_PROVIDER_ERROR', 'SVC_SOURCE_UNAVAILABLE', 'SVC_SOURCE_TIMEOUT', 'SVC_INTERNAL_ERROR']
    message: str
    retryable: bool


class _BundlesDocumentForgeryCheckDataStepsItem(TypedDict):
    endpoint: str
    verificationId: str
    status: Literal['completed', 'pending', 'failed']
    billing: "BundlesDocumentForgeryCheckDataStepsItemBilling"


class BundlesDocumentForgeryCheckDataStepsItem(_BundlesDocumentForgeryCheckDataStepsItem, total=False):
    data: Dict[str, Any]
    error: "BundlesDocumentForgeryCheckDataStepsItemError"


class BundlesDocumentForgeryCheckData(TypedDict):
    bundle: Literal['document-forgery-check']
    steps: List["BundlesDocumentForgeryCheckDataStepsItem"]


class _BundlesProfessionalRouterDataStepsItemBilling(TypedDict):
    charged: bool
    amount: float
    currency: Literal['INR']


class BundlesProfessionalRouterDataStepsItemBilling(_BundlesProfessionalRouterDataStepsItemBilling, total=False):
    walletBalanceAfter: float


class BundlesProfessionalRouterDataStepsItemError(TypedDict):
    code: Literal['SVC_INVALID_INPUT', 'SVC_INVALID_IDENTIFIER', 'SVC_AUTH_INVALID', 'SVC_KEY_ENVIRONMENT_MISMATCH', 'SVC_INSUFFICIENT_BALANCE', 'SVC_IP_NOT_ALLOWED', 'SVC_NOT_FOUND', 'SVC_IDEMPOTENCY_CONFLICT', 'SVC_NO_RECORD_FOUND', 'SVC_RATE_LIMITED', 'SVC_PROVIDER_ERROR', 'SVC_SOURCE_UNAVAILABLE', 'SVC_SOURCE_TIMEOUT', 'SVC_INTERNAL_ERROR']
    message: str
    retryable: bool


class _BundlesProfessionalRouterDataStepsItem(TypedDict):
    endpoint: str
    verificationId: str
    status: Literal['completed', 'pending', 'failed']
    billing: "BundlesProfessionalRouterDataStepsItemBilling"


class BundlesProfessionalRouterDataStepsItem(_BundlesProfessionalRouterDataStepsItem, total=False):
    data: Dict[str, Any]
    error: "BundlesProfessionalRouterDataStepsItemError"


class BundlesProfessionalRouterData(TypedDict):
    bundle: Literal['professional-router']
    steps: List["BundlesProfessionalRouterDataStepsItem"]


class _BundlesFullBusinessVerificationDataStepsItemBilling(TypedDict):
    charged: bool
    amount: float
    currency: Literal['INR']


class BundlesFullBusinessVerificationDataStepsItemBilling(_BundlesFullBusinessVerificationDataStepsItemBilling, total=False):
    walletBalanceAfter: float


class BundlesFullBusinessVerificationDataStepsItemError(TypedDict):
    code: Literal['SVC_INVALID_INPUT', 'SVC_INVALID_IDENTIFIER', 'SVC_AUTH_INVALID', 'SVC_KEY_ENVIRONMENT_MISMATCH', 'SVC_INSUFFICIENT_BALANCE', 'SVC_IP_NOT_ALLOWED', 'SVC_NOT_FOUND', 'SVC_IDEMPOTENCY_CONFLICT', 'SVC_NO_RECORD_FOUND', 'SVC_RATE_LIMITED', 'SVC_PROVIDER_ERROR', 'SVC_SOURCE_UNAVAILABLE', 'SVC_SOURCE_TIMEOUT', 'SVC_INTERNAL_ERROR']
    message: str
    retryable: bool


class _BundlesFullBusinessVerificationDataStepsItem(TypedDict):
    endpoint: str
    verificationId: str
    status: Literal['completed', 'pending', 'failed']
    billing: "BundlesFullBusinessVerificationDataStepsItemBilling"


class BundlesFullBusinessVerificationDataStepsItem(_BundlesFullBusinessVerificationDataStepsItem, total=False):
    data: Dict[str, Any]
    error: "BundlesFullBusinessVerificationDataStepsItemError"


class BundlesFullBusinessVerificationData(TypedDict):
    bundle: Literal['full-business-verification']
    steps: List["BundlesFullBusinessVerificationDataStepsItem"]


class _BundlesDirectorDueDiligenceDataStepsItemBilling(TypedDict):
    charged: bool
    amount: float
    currency: Literal['INR']


class BundlesDirectorDueDiligenceDataStepsItemBilling(_BundlesDirectorDueDiligenceDataStepsItemBilling, total=False):
    walletBalanceAfter: float


class BundlesDirectorDueDiligenceDataStepsItemError(TypedDict):
    code: Literal['SVC_INVALID_INPUT', 'SVC_INVALID_IDENTIFIER', 'SVC_AUTH_INVALID', 'SVC_KEY_ENVIRONMENT_MISMATCH', 'SVC_INSUFFICIENT_BALANCE', 'SVC_IP_NOT_ALLOWED', 'SVC_NOT_FOUND', 'SVC_IDEMPOTENCY_CONFLICT', 'SVC_NO_RECORD_FOUND', 'SVC_RATE_LIMITED', 'SVC_PROVIDER_ERROR', 'SVC_SOURCE_UNAVAILABLE', 'SVC_SOURCE_TIMEOUT', 'SVC_INTERNAL_ERROR']
    message: str
    retryable: bool


class _BundlesDirectorDueDiligenceDataStepsItem(TypedDict):
    endpoint: str
    verificationId: str
    status: Literal['completed', 'pending', 'failed']
    billing: "BundlesDirectorDueDiligenceDataStepsItemBilling"


class BundlesDirectorDueDiligenceDataStepsItem(_BundlesDirectorDueDiligenceDataStepsItem, total=False):
    data: Dict[str, Any]
    error: "BundlesDirectorDueDiligenceDataStepsItemError"


class BundlesDirectorDueDiligenceData(TypedDict):
    bundle: Literal['director-due-diligence']
    steps: List["BundlesDirectorDueDiligenceDataStepsItem"]


class _BundlesEmploymentClaimVerificationDataStepsItemBilling(TypedDict):
    charged: bool
    amount: float
    currency: Literal['INR']


class BundlesEmploymentClaimVerificationDataStepsItemBilling(_BundlesEmploymentClaimVerificationDataStepsItemBilling, total=False):
    walletBalanceAfter: float


class BundlesEmploymentClaimVerificationDataStepsItemError(TypedDict):
    code: Literal['SVC_INVALID_INPUT', 'SVC_INVALID_IDENTIFIER', 'SVC_AUTH_INVALID', 'SVC_KEY_ENVIRONMENT_MISMATCH', 'SVC_INSUFFICIENT_BALANCE', 'SVC_IP_NOT_ALLOWED', 'SVC_NOT_FOUND', 'SVC_IDEMPOTENCY_CONFLICT', 'SVC_NO_RECORD_FOUND', 'SVC_RATE_LIMITED', 'SVC_PROVIDER_ERROR', 'SVC_SOURCE_UNAVAILABLE', 'SVC_SOURCE_TIMEOUT', 'SVC_INTERNAL_ERROR']
    message: str
    retryable: bool


class _BundlesEmploymentClaimVerificationDataStepsItem(TypedDict):
    endpoint: str
    verificationId: str
    status: Literal['completed', 'pending', 'failed']
    billing: "BundlesEmploymentClaimVerificationDataStepsItemBilling"


class BundlesEmploymentClaimVerificationDataStepsItem(_BundlesEmploymentClaimVerificationDataStepsItem, total=False):
    data: Dict[str, Any]
    error: "BundlesEmploymentClaimVerificationDataStepsItemError"


class BundlesEmploymentClaimVerificationData(TypedDict):
    bundle: Literal['employment-claim-verification']
    steps: List["BundlesEmploymentClaimVerificationDataStepsItem"]


class _BundlesCreditBureauReportDataStepsItemBilling(TypedDict):
    charged: bool
    amount: float
    currency: Literal['INR']


class BundlesCreditBureauReportDataStepsItemBilling(_BundlesCreditBureauReportDataStepsItemBilling, total=False):
    walletBalanceAfter: float


class BundlesCreditBureauReportDataStepsItemError(TypedDict):
    code: Literal['SVC_INVALID_INPUT', 'SVC_INVALID_IDENTIFIER', 'SVC_AUTH_INVALID', 'SVC_KEY_ENVIRONMENT_MISMATCH', 'SVC_INSUFFICIENT_BALANCE', 'SVC_IP_NOT_ALLOWED', 'SVC_NOT_FOUND', 'SVC_IDEMPOTENCY_CONFLICT', 'SVC_NO_RECORD_FOUND', 'SVC_RATE_LIMITED', 'SVC_PROVIDER_ERROR', 'SVC_SOURCE_UNAVAILABLE', 'SVC_SOURCE_TIMEOUT', 'SVC_INTERNAL_ERROR']
    message: str
    retryable: bool


class _BundlesCreditBureauReportDataStepsItem(TypedDict):
    endpoint: str
    verificationId: str
    status: Literal['completed', 'pending', 'failed']
    billing: "BundlesCreditBureauReportDataStepsItemBilling"


class BundlesCreditBureauReportDataStepsItem(_BundlesCreditBureauReportDataStepsItem, total=False):
    data: Dict[str, Any]
    error: "BundlesCreditBureauReportDataStepsItemError"


class BundlesCreditBureauReportData(TypedDict):
    bundle: Literal['credit-bureau-report']
    steps: List["BundlesCreditBureauReportDataStepsItem"]


class BundlesCreditBureauReportConsentArtifact(TypedDict):
    timestamp: str
    ip: str
    messageId: str


class _BundlesVehicleForensicVerificationDataStepsItemBilling(TypedDict):
    charged: bool
    amount: float
    currency: Literal['INR']


class BundlesVehicleForensicVerificationDataStepsItemBilling(_BundlesVehicleForensicVerificationDataStepsItemBilling, total=False):
    walletBalanceAfter: float


class BundlesVehicleForensicVerificationDataStepsItemError(TypedDict):
    code: Literal['SVC_INVALID_INPUT', 'SVC_INVALID_IDENTIFIER', 'SVC_AUTH_INVALID', 'SVC_KEY_ENVIRONMENT_MISMATCH', 'SVC_INSUFFICIENT_BALANCE', 'SVC_IP_NOT_ALLOWED', 'SVC_NOT_FOUND', 'SVC_IDEMPOTENCY_CONFLICT', 'SVC_NO_RECORD_FOUND', 'SVC_RATE_LIMITED', 'SVC_PROVIDER_ERROR', 'SVC_SOURCE_UNAVAILABLE', 'SVC_SOURCE_TIMEOUT', 'SVC_INTERNAL_ERROR']
    message: str
    retryable: bool


class _BundlesVehicleForensicVerificationDataStepsItem(TypedDict):
    endpoint: str
    verificationId: str
    status: Literal['completed', 'pending', 'failed']
    billing: "BundlesVehicleForensicVerificationDataStepsItemBilling"


class BundlesVehicleForensicVerificationDataStepsItem(_BundlesVehicleForensicVerificationDataStepsItem, total=False):
    data: Dict[str, Any]
    error: "BundlesVehicleForensicVerificationDataStepsItemError"


class BundlesVehicleForensicVerificationData(TypedDict):
    bundle: Literal['vehicle-forensic-verification']
    steps: List["BundlesVehicleForensicVerificationDataStepsItem"]


class _BundlesAddressUtilityVerificationDataStepsItemBilling(TypedDict):
    charged: bool
    amount: float
    currency: Literal['INR']


class BundlesAddressUtilityVerificationDataStepsItemBilling(_BundlesAddressUtilityVerificationDataStepsItemBilling, total=False):
    walletBalanceAfter: float


class BundlesAddressUtilityVerificationDataStepsItemError(TypedDict):
    code: Literal['SVC_INVALID_INPUT', 'SVC_INVALID_IDENTIFIER', 'SVC_AUTH_INVALID', 'SVC_KEY_ENVIRONMENT_MISMATCH', 'SVC_INSUFFICIENT_BALANCE', 'SVC_IP_NOT_ALLOWED', 'SVC_NOT_FOUND', 'SVC_IDEMPOTENCY_CONFLICT', 'SVC_NO_RECORD_FOUND', 'SVC_RATE_LIMITED', 'SVC_PROVIDER_ERROR', 'SVC_SOURCE_UNAVAILABLE', 'SVC_SOURCE_TIMEOUT', 'SVC_INTERNAL_ERROR']
    message: str
    retryable: bool


class _BundlesAddressUtilityVerificationDataStepsItem(TypedDict):
    endpoint: str
    verificationId: str
    status: Literal['completed', 'pending', 'failed']
    billing: "BundlesAddressUtilityVerificationDataStepsItemBilling"


class BundlesAddressUtilityVerificationDataStepsItem(_BundlesAddressUtilityVerificationDataStepsItem, total=False):
    data: Dict[str, Any]
    error: "BundlesAddressUtilityVerificationDataStepsItemError"


class BundlesAddressUtilityVerificationData(TypedDict):
    bundle: Literal['address-utility-verification']
    steps: List["BundlesAddressUtilityVerificationDataStepsItem"]


class _BundlesDynamicBankValidationDataStepsItemBilling(TypedDict):
    charged: bool
    amount: float
    currency: Literal['INR']


class BundlesDynamicBankValidationDataStepsItemBilling(_BundlesDynamicBankValidationDataStepsItemBilling, total=False):
    walletBalanceAfter: float


class BundlesDynamicBankValidationDataStepsItemError(TypedDict):
    code: Literal['SVC_INVALID_INPUT', 'SVC_INVALID_IDENTIFIER', 'SVC_AUTH_INVALID', 'SVC_KEY_ENVIRONMENT_MISMATCH', 'SVC_INSUFFICIENT_BALANCE', 'SVC_IP_NOT_ALLOWED', 'SVC_NOT_FOUND', 'SVC_IDEMPOTENCY_CONFLICT', 'SVC_NO_RECORD_FOUND', 'SVC_RATE_LIMITED', 'SVC_PROVIDER_ERROR', 'SVC_SOURCE_UNAVAILABLE', 'SVC_SOURCE_TIMEOUT', 'SVC_INTERNAL_ERROR']
    message: str
    retryable: bool


class _BundlesDynamicBankValidationDataStepsItem(TypedDict):
    endpoint: str
    verificationId: str
    status: Literal['completed', 'pending', 'failed']
    billing: "BundlesDynamicBankValidationDataStepsItemBilling"


class BundlesDynamicBankValidationDataStepsItem(_BundlesDynamicBankValidationDataStepsItem, total=False):
    data: Dict[str, Any]
    error: "BundlesDynamicBankValidationDataStepsItemError"


class _BundlesDynamicBankValidationData(TypedDict):
    bundle: Literal['dynamic-bank-validation']
    steps: List["BundlesDynamicBankValidationDataStepsItem"]


class BundlesDynamicBankValidationData(_BundlesDynamicBankValidationData, total=False):
    referenceId: str


class _BundlesCompanyTanIdentityDataStepsItemBilling(TypedDict):
    charged: bool
    amount: float
    currency: Literal['INR']


class BundlesCompanyTanIdentityDataStepsItemBilling(_BundlesCompanyTanIdentityDataStepsItemBilling, total=False):
    walletBalanceAfter: float


class BundlesCompanyTanIdentityDataStepsItemError(TypedDict):
    code: Literal['SVC_INVALID_INPUT', 'SVC_INVALID_IDENTIFIER', 'SVC_AUTH_INVALID', 'SVC_KEY_ENVIRONMENT_MISMATCH', 'SVC_INSUFFICIENT_BALANCE', 'SVC_IP_NOT_ALLOWED', 'SVC_NOT_FOUND', 'SVC_IDEMPOTENCY_CONFLICT', 'SVC_NO_RECORD_FOUND', 'SVC_RATE_LIMITED', 'SVC_PROVIDER_ERROR', 'SVC_SOURCE_UNAVAILABLE', 'SVC_SOURCE_TIMEOUT', 'SVC_INTERNAL_ERROR']
    message: str
    retryable: bool


class _BundlesCompanyTanIdentityDataStepsItem(TypedDict):
    endpoint: str
    verificationId: str
    status: Literal['completed', 'pending', 'failed']
    billing: "BundlesCompanyTanIdentityDataStepsItemBilling"


class BundlesCompanyTanIdentityDataStepsItem(_BundlesCompanyTanIdentityDataStepsItem, total=False):
    data: Dict[str, Any]
    error: "BundlesCompanyTanIdentityDataStepsItemError"


class BundlesCompanyTanIdentityData(TypedDict):
    bundle: Literal['company-tan-identity']
    steps: List["BundlesCompanyTanIdentityDataStepsItem"]
