"""A method for each operation. Written by kits/generate.py from /openapi.json: change that, not this."""

from typing import Any, Dict, List, Literal, Optional, Union

from . import models
from .result import AsyncTransport, Result, Transport, given


class Operations(Transport):
    """Calls each operation and waits for its answer."""

    def verify_identity_pan(
        self,
        *,
        pan: str,
        name: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyIdentityPanData]":
        """PAN: `POST /v1/verify/identity/pan`."""
        return self.call(
            "/v1/verify/identity/pan",
            given({
                "pan": pan,
                "name": name,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_identity_dl(
        self,
        *,
        dl_number: str,
        date_of_birth: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyIdentityDlData]":
        """Driving licence: `POST /v1/verify/identity/dl`."""
        return self.call(
            "/v1/verify/identity/dl",
            given({
                "dlNumber": dl_number,
                "dateOfBirth": date_of_birth,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_identity_voter(
        self,
        *,
        epic_number: str,
        include_regional_language: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyIdentityVoterData]":
        """Voter card: `POST /v1/verify/identity/voter`."""
        return self.call(
            "/v1/verify/identity/voter",
            given({
                "epicNumber": epic_number,
                "includeRegionalLanguage": include_regional_language,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_identity_passport(
        self,
        *,
        file_number: str,
        date_of_birth: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyIdentityPassportData]":
        """Passport: `POST /v1/verify/identity/passport`."""
        return self.call(
            "/v1/verify/identity/passport",
            given({
                "fileNumber": file_number,
                "dateOfBirth": date_of_birth,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_identity_face_liveness(
        self,
        *,
        image_url: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyIdentityFaceLivenessData]":
        """Face liveness: `POST /v1/verify/identity/face-liveness`."""
        return self.call(
            "/v1/verify/identity/face-liveness",
            given({
                "imageUrl": image_url,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_identity_face_match(
        self,
        *,
        image_url1: str,
        image_url2: str,
        include_face_count: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyIdentityFaceMatchData]":
        """Face match: `POST /v1/verify/identity/face-match`."""
        return self.call(
            "/v1/verify/identity/face-match",
            given({
                "imageUrl1": image_url1,
                "imageUrl2": image_url2,
                "includeFaceCount": include_face_count,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_identity_mobile_otp_start(
        self,
        *,
        mobile: str,
        consent: Optional[Literal['y']] = None,
        country_code: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyIdentityMobileOtpStartData]":
        """Mobile OTP: start: `POST /v1/verify/identity/mobile-otp/start`."""
        return self.call(
            "/v1/verify/identity/mobile-otp/start",
            given({
                "mobile": mobile,
                "consent": consent,
                "countryCode": country_code,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_identity_mobile_otp_verify(
        self,
        *,
        request_id: str,
        otp: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyIdentityMobileOtpVerifyData]":
        """Mobile OTP: verify: `POST /v1/verify/identity/mobile-otp/verify`."""
        return self.call(
            "/v1/verify/identity/mobile-otp/verify",
            given({
                "request_id": request_id,
                "otp": otp,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_identity_mobile_otp_fetch(
        self,
        *,
        request_id: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyIdentityMobileOtpFetchData]":
        """Mobile OTP: fetch: `POST /v1/verify/identity/mobile-otp/fetch`."""
        return self.call(
            "/v1/verify/identity/mobile-otp/fetch",
            given({
                "request_id": request_id,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_identity_mobile_otp_s_start(
        self,
        *,
        mobile: str,
        country_code: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyIdentityMobileOtpSStartData]":
        """Mobile OTP silent: start: `POST /v1/verify/identity/mobile-otp-s/start`."""
        return self.call(
            "/v1/verify/identity/mobile-otp-s/start",
            given({
                "mobile": mobile,
                "countryCode": country_code,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_identity_mobile_otp_s_fetch(
        self,
        *,
        mobile: str,
        body_reference_id: str,
        otp: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyIdentityMobileOtpSFetchData]":
        """Mobile OTP silent: fetch: `POST /v1/verify/identity/mobile-otp-s/fetch`."""
        return self.call(
            "/v1/verify/identity/mobile-otp-s/fetch",
            given({
                "mobile": mobile,
                "referenceId": body_reference_id,
                "otp": otp,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_employment_uan_lookup(
        self,
        *,
        mobile: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyEmploymentUanLookupData]":
        """UAN look-up by mobile: `POST /v1/verify/employment/uan-lookup`."""
        return self.call(
            "/v1/verify/employment/uan-lookup",
            given({
                "mobile": mobile,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_employment_uan(
        self,
        *,
        uan: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyEmploymentUanData]":
        """Employment history by UAN: `POST /v1/verify/employment/uan`."""
        return self.call(
            "/v1/verify/employment/uan",
            given({
                "uan": uan,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_employment_epfo_establishment(
        self,
        *,
        establishment_id: str,
        months: Optional[int] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyEmploymentEpfoEstablishmentData]":
        """EPFO establishment: `POST /v1/verify/employment/epfo-establishment`."""
        return self.call(
            "/v1/verify/employment/epfo-establishment",
            given({
                "establishmentId": establishment_id,
                "months": months,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_employment_epfo_name_search(
        self,
        *,
        name: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyEmploymentEpfoNameSearchData]":
        """EPFO establishment by name: `POST /v1/verify/employment/epfo-name-search`."""
        return self.call(
            "/v1/verify/employment/epfo-name-search",
            given({
                "name": name,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_company_mca_cin_lookup(
        self,
        *,
        company_name: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyMcaCinLookupData]":
        """CIN by company name: `POST /v1/verify/company/mca/cin-lookup`."""
        return self.call(
            "/v1/verify/company/mca/cin-lookup",
            given({
                "companyName": company_name,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_company_mca_master(
        self,
        *,
        cin: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyMcaMasterData]":
        """Company master data: `POST /v1/verify/company/mca/master`."""
        return self.call(
            "/v1/verify/company/mca/master",
            given({
                "cin": cin,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_company_mca_signatories(
        self,
        *,
        cin: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyMcaSignatoriesData]":
        """Directors of a company: `POST /v1/verify/company/mca/signatories`."""
        return self.call(
            "/v1/verify/company/mca/signatories",
            given({
                "cin": cin,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_company_mca_search(
        self,
        *,
        company_name: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyMcaSearchData]":
        """CINs of a company name: `POST /v1/verify/company/mca/search`."""
        return self.call(
            "/v1/verify/company/mca/search",
            given({
                "companyName": company_name,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_company_roc_director(
        self,
        *,
        din: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyRocDirectorData]":
        """Director by DIN: `POST /v1/verify/company/roc/director`."""
        return self.call(
            "/v1/verify/company/roc/director",
            given({
                "din": din,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_company_tan(
        self,
        *,
        tan: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyTanData]":
        """TAN: `POST /v1/verify/company/tan`."""
        return self.call(
            "/v1/verify/company/tan",
            given({
                "tan": tan,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_company_udyam(
        self,
        *,
        udyam_number: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyUdyamData]":
        """Udyam registration: `POST /v1/verify/company/udyam`."""
        return self.call(
            "/v1/verify/company/udyam",
            given({
                "udyamNumber": udyam_number,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_company_udyam_otp_confirm(
        self,
        *,
        udyam_number: str,
        otp: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyUdyamOtpConfirmData]":
        """Udyam registration: OTP confirmation: `POST /v1/verify/company/udyam/otp-confirm`."""
        return self.call(
            "/v1/verify/company/udyam/otp-confirm",
            given({
                "udyamNumber": udyam_number,
                "otp": otp,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_company_iec(
        self,
        *,
        iec: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyIecData]":
        """Importer-exporter code: `POST /v1/verify/company/iec`."""
        return self.call(
            "/v1/verify/company/iec",
            given({
                "iec": iec,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_company_shop_establishment(
        self,
        *,
        registration_number: str,
        state: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyShopEstablishmentData]":
        """Shop and establishment registration: `POST /v1/verify/company/shop-establishment`."""
        return self.call(
            "/v1/verify/company/shop-establishment",
            given({
                "registrationNumber": registration_number,
                "state": state,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_company_tin(
        self,
        *,
        tin_number: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyTinData]":
        """TIN: `POST /v1/verify/company/tin`."""
        return self.call(
            "/v1/verify/company/tin",
            given({
                "tinNumber": tin_number,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_company_gst(
        self,
        *,
        gstin: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyGstData]":
        """GST registration: `POST /v1/verify/company/gst`."""
        return self.call(
            "/v1/verify/company/gst",
            given({
                "gstin": gstin,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_company_gst_detailed(
        self,
        *,
        gstin: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyGstDetailedData]":
        """GST registration with returns: `POST /v1/verify/company/gst-detailed`."""
        return self.call(
            "/v1/verify/company/gst-detailed",
            given({
                "gstin": gstin,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_membership_ca(
        self,
        *,
        membership_number: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyMembershipCaData]":
        """Chartered accountant: `POST /v1/verify/membership/ca`."""
        return self.call(
            "/v1/verify/membership/ca",
            given({
                "membershipNumber": membership_number,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_membership_cs(
        self,
        *,
        membership_number: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyMembershipCsData]":
        """Company secretary: `POST /v1/verify/membership/cs`."""
        return self.call(
            "/v1/verify/membership/cs",
            given({
                "membershipNumber": membership_number,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_membership_cma(
        self,
        *,
        membership_number: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyMembershipCmaData]":
        """Cost accountant: `POST /v1/verify/membership/cma`."""
        return self.call(
            "/v1/verify/membership/cma",
            given({
                "membershipNumber": membership_number,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_contact_email(
        self,
        *,
        email: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyContactEmailData]":
        """E-mail address: `POST /v1/verify/contact/email`."""
        return self.call(
            "/v1/verify/contact/email",
            given({
                "email": email,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_financial_bank_account(
        self,
        *,
        account_number: str,
        ifsc: str,
        name_to_verify: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyFinancialBankAccountData]":
        """Bank account, silent: `POST /v1/verify/financial/bank-account`."""
        return self.call(
            "/v1/verify/financial/bank-account",
            given({
                "accountNumber": account_number,
                "ifsc": ifsc,
                "nameToVerify": name_to_verify,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_financial_bank_dynamic_send(
        self,
        *,
        account_number: str,
        ifsc: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyFinancialBankDynamicSendData]":
        """Dynamic bank validation: send: `POST /v1/verify/financial/bank-dynamic/send`."""
        return self.call(
            "/v1/verify/financial/bank-dynamic/send",
            given({
                "accountNumber": account_number,
                "ifsc": ifsc,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_financial_bank_dynamic_verify(
        self,
        *,
        body_reference_id: str,
        amount: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyFinancialBankDynamicVerifyData]":
        """Dynamic bank validation: verify: `POST /v1/verify/financial/bank-dynamic/verify`."""
        return self.call(
            "/v1/verify/financial/bank-dynamic/verify",
            given({
                "referenceId": body_reference_id,
                "amount": amount,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_financial_credit_report(
        self,
        *,
        pan: str,
        mobile: str,
        name: str,
        date_of_birth: str,
        consent_artifact: models.VerifyFinancialCreditReportConsentArtifact,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyFinancialCreditReportData]":
        """Credit report: `POST /v1/verify/financial/credit-report`."""
        return self.call(
            "/v1/verify/financial/credit-report",
            given({
                "pan": pan,
                "mobile": mobile,
                "name": name,
                "dateOfBirth": date_of_birth,
                "consentArtifact": consent_artifact,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_financial_ifsc(
        self,
        *,
        ifsc: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyFinancialIfscData]":
        """IFSC: `POST /v1/verify/financial/ifsc`."""
        return self.call(
            "/v1/verify/financial/ifsc",
            given({
                "ifsc": ifsc,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_financial_bank_hybrid(
        self,
        *,
        account_number: str,
        ifsc: str,
        name_to_verify: str,
        mobile: Optional[str] = None,
        threshold: Optional[float] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyFinancialBankHybridData]":
        """Bank account, hybrid: `POST /v1/verify/financial/bank-hybrid`."""
        return self.call(
            "/v1/verify/financial/bank-hybrid",
            given({
                "accountNumber": account_number,
                "ifsc": ifsc,
                "nameToVerify": name_to_verify,
                "mobile": mobile,
                "threshold": threshold,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_financial_bank_account_v1(
        self,
        *,
        ifsc: str,
        account_number: str,
        cust_name: Optional[str] = None,
        program_id: Optional[Literal['310', '311', '312']] = None,
        txn_type: Optional[Literal['ANY', 'IMPS', 'NACH', 'UPI']] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyFinancialBankAccountV1Data]":
        """Bank account V1: `POST /v1/verify/financial/bank-account-v1`."""
        return self.call(
            "/v1/verify/financial/bank-account-v1",
            given({
                "ifsc": ifsc,
                "accountNumber": account_number,
                "custName": cust_name,
                "programId": program_id,
                "txnType": txn_type,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_financial_bank_account_v1_status(
        self,
        *,
        orig_request_id: str,
        program_id: Optional[Literal['310', '311', '312']] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyFinancialBankAccountV1StatusData]":
        """Bank account V1: status: `POST /v1/verify/financial/bank-account-v1/status`."""
        return self.call(
            "/v1/verify/financial/bank-account-v1/status",
            given({
                "origRequestId": orig_request_id,
                "programId": program_id,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def screen_negative_diligence(
        self,
        *,
        name: str,
        date_of_birth: Optional[str] = None,
        nationality: Optional[str] = None,
        include_categories: Optional[List[Literal['SANCTIONS', 'PEP', 'ADVERSE_MEDIA', 'REGULATORY', 'LAW_ENFORCEMENT']]] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.ScreenNegativeDiligenceData]":
        """Negative diligence: `POST /v1/screen/negative-diligence`."""
        return self.call(
            "/v1/screen/negative-diligence",
            given({
                "name": name,
                "dateOfBirth": date_of_birth,
                "nationality": nationality,
                "includeCategories": include_categories,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def screen_mobile_mnrl(
        self,
        *,
        mobile: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.ScreenMobileMnrlData]":
        """Revoked mobile numbers: `POST /v1/screen/mobile-mnrl`."""
        return self.call(
            "/v1/screen/mobile-mnrl",
            given({
                "mobile": mobile,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def screen_mobile_silent(
        self,
        *,
        mobile: str,
        include_additional: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.ScreenMobileSilentData]":
        """Mobile subscriber, silent: `POST /v1/screen/mobile-silent`."""
        return self.call(
            "/v1/screen/mobile-silent",
            given({
                "mobile": mobile,
                "includeAdditional": include_additional,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def screen_ip_quality(
        self,
        *,
        ip: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.ScreenIpQualityData]":
        """IP quality: `POST /v1/screen/ip-quality`."""
        return self.call(
            "/v1/screen/ip-quality",
            given({
                "ip": ip,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def screen_email_fraud(
        self,
        *,
        email: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.ScreenEmailFraudData]":
        """E-mail fraud: `POST /v1/screen/email-fraud`."""
        return self.call(
            "/v1/screen/email-fraud",
            given({
                "email": email,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def screen_court_records(
        self,
        *,
        name: str,
        father_name: Optional[str] = None,
        dob: Optional[str] = None,
        state: Optional[str] = None,
        city: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.ScreenCourtRecordsData]":
        """Court records: `POST /v1/screen/court-records`."""
        return self.call(
            "/v1/screen/court-records",
            given({
                "name": name,
                "father_name": father_name,
                "dob": dob,
                "state": state,
                "city": city,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_utility_vehicle_rc(
        self,
        *,
        rc_number: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyUtilityVehicleRcData]":
        """Vehicle registration: `POST /v1/verify/utility/vehicle-rc`."""
        return self.call(
            "/v1/verify/utility/vehicle-rc",
            given({
                "rcNumber": rc_number,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_utility_vehicle_rc_reverse(
        self,
        *,
        engine_number: str,
        chassis_number: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyUtilityVehicleRcReverseData]":
        """Vehicle by engine and chassis: `POST /v1/verify/utility/vehicle-rc-reverse`."""
        return self.call(
            "/v1/verify/utility/vehicle-rc-reverse",
            given({
                "engineNumber": engine_number,
                "chassisNumber": chassis_number,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_utility_fastag(
        self,
        *,
        vehicle_number: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyUtilityFastagData]":
        """FASTag: `POST /v1/verify/utility/fastag`."""
        return self.call(
            "/v1/verify/utility/fastag",
            given({
                "vehicleNumber": vehicle_number,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_utility_electricity(
        self,
        *,
        consumer_number: str,
        service_provider: str,
        registered_mobile: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyUtilityElectricityData]":
        """Electricity connection: `POST /v1/verify/utility/electricity`."""
        return self.call(
            "/v1/verify/utility/electricity",
            given({
                "consumerNumber": consumer_number,
                "serviceProvider": service_provider,
                "registeredMobile": registered_mobile,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_utility_property_tax(
        self,
        *,
        state: str,
        city: str,
        property_number: str,
        ulb: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyUtilityPropertyTaxData]":
        """Property tax: `POST /v1/verify/utility/property-tax`."""
        return self.call(
            "/v1/verify/utility/property-tax",
            given({
                "state": state,
                "city": city,
                "propertyNumber": property_number,
                "ulb": ulb,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_utility_png(
        self,
        *,
        bp_number: str,
        service_provider: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyUtilityPngData]":
        """Piped gas connection: `POST /v1/verify/utility/png`."""
        return self.call(
            "/v1/verify/utility/png",
            given({
                "bpNumber": bp_number,
                "serviceProvider": service_provider,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_utility_lpg(
        self,
        *,
        lpg_id: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyUtilityLpgData]":
        """LPG connection: `POST /v1/verify/utility/lpg`."""
        return self.call(
            "/v1/verify/utility/lpg",
            given({
                "lpgId": lpg_id,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_document_forgery(
        self,
        *,
        image_urls: List[str],
        text_fields: Optional[Dict[str, Any]] = None,
        threshold: Optional[int] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyDocumentForgeryData]":
        """Document forgery: `POST /v1/verify/document/forgery`."""
        return self.call(
            "/v1/verify/document/forgery",
            given({
                "imageUrls": image_urls,
                "textFields": text_fields,
                "threshold": threshold,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_document_digilocker(
        self,
        *,
        redirect_url: str,
        requested_docs: Optional[List[str]] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyDocumentDigilockerData]":
        """Documents by consent: `POST /v1/verify/document/digilocker/start`."""
        return self.call(
            "/v1/verify/document/digilocker/start",
            given({
                "redirectUrl": redirect_url,
                "requestedDocs": requested_docs,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_document_kyc_ocr(
        self,
        *,
        url: str,
        doc_types: Optional[List[Literal['PAN', 'AADHAAR', 'VOTER_ID', 'PASSPORT', 'DL']]] = None,
        pdf_password: Optional[str] = None,
        required_confidence: Optional[bool] = None,
        return_quality_checks: Optional[List[Literal['ALL', 'BRIGHTNESS', 'BLUR', 'BLACK_AND_WHITE', 'CUT_CARD']]] = None,
        mask_aadhaar_image: Optional[Literal['EIGHT_DIGITS', 'TWELVE_DIGITS', 'NONE']] = None,
        response_type: Optional[Literal['URL', 'BASE64']] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyDocumentKycOcrData]":
        """Identity document OCR: `POST /v1/verify/document/kyc-ocr`."""
        return self.call(
            "/v1/verify/document/kyc-ocr",
            given({
                "url": url,
                "docTypes": doc_types,
                "pdfPassword": pdf_password,
                "requiredConfidence": required_confidence,
                "returnQualityChecks": return_quality_checks,
                "maskAadhaarImage": mask_aadhaar_image,
                "responseType": response_type,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_document_cheque_ocr(
        self,
        *,
        url: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyDocumentChequeOcrData]":
        """Cheque OCR: `POST /v1/verify/document/cheque-ocr`."""
        return self.call(
            "/v1/verify/document/cheque-ocr",
            given({
                "url": url,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_document_kyc_ocr_s(
        self,
        *,
        urls: List[str],
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyDocumentKycOcrSData]":
        """Identity document OCR, several: `POST /v1/verify/document/kyc-ocr-s`."""
        return self.call(
            "/v1/verify/document/kyc-ocr-s",
            given({
                "urls": urls,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_address_geocode(
        self,
        *,
        latitude: str,
        longitude: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyAddressGeocodeData]":
        """Address of a point: `POST /v1/verify/address/geocode`."""
        return self.call(
            "/v1/verify/address/geocode",
            given({
                "latitude": latitude,
                "longitude": longitude,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_address_geo_fence(
        self,
        *,
        ip: str,
        country: str,
        state: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyAddressGeoFenceData]":
        """Geo-fence: `POST /v1/verify/address/geo-fence`."""
        return self.call(
            "/v1/verify/address/geo-fence",
            given({
                "ip": ip,
                "country": country,
                "state": state,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_address_match(
        self,
        *,
        address1: str,
        address2: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyAddressMatchData]":
        """Address match: `POST /v1/verify/address/match`."""
        return self.call(
            "/v1/verify/address/match",
            given({
                "address1": address1,
                "address2": address2,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_address_split(
        self,
        *,
        address: str,
        infer_state: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyAddressSplitData]":
        """Address split: `POST /v1/verify/address/split`."""
        return self.call(
            "/v1/verify/address/split",
            given({
                "address": address,
                "inferState": infer_state,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def verify_name_match(
        self,
        *,
        name1: str,
        name2: str,
        type: Optional[Literal['individual', 'business']] = None,
        preset: Optional[str] = None,
        allow_partial_match: Optional[bool] = None,
        suppress_reorder_penalty: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyNameMatchData]":
        """Name match: `POST /v1/verify/name/match`."""
        return self.call(
            "/v1/verify/name/match",
            given({
                "name1": name1,
                "name2": name2,
                "type": type,
                "preset": preset,
                "allowPartialMatch": allow_partial_match,
                "suppressReorderPenalty": suppress_reorder_penalty,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def bundles_full_identity_kyc(
        self,
        *,
        dl_number: str,
        date_of_birth: str,
        image_url1: str,
        image_url2: str,
        image_url: str,
        include_face_count: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.BundlesFullIdentityKycData]":
        """Full identity KYC: `POST /v1/bundles/full-identity-kyc`."""
        return self.call(
            "/v1/bundles/full-identity-kyc",
            given({
                "dlNumber": dl_number,
                "dateOfBirth": date_of_birth,
                "imageUrl1": image_url1,
                "imageUrl2": image_url2,
                "imageUrl": image_url,
                "includeFaceCount": include_face_count,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def bundles_fraud_check(
        self,
        *,
        mobile: str,
        email: str,
        name: str,
        include_additional: Optional[bool] = None,
        date_of_birth: Optional[str] = None,
        nationality: Optional[str] = None,
        include_categories: Optional[List[Literal['SANCTIONS', 'PEP', 'ADVERSE_MEDIA', 'REGULATORY', 'LAW_ENFORCEMENT']]] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.BundlesFraudCheckData]":
        """Fraud check: `POST /v1/bundles/fraud-check`."""
        return self.call(
            "/v1/bundles/fraud-check",
            given({
                "mobile": mobile,
                "email": email,
                "name": name,
                "includeAdditional": include_additional,
                "dateOfBirth": date_of_birth,
                "nationality": nationality,
                "includeCategories": include_categories,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def bundles_document_forgery_check(
        self,
        *,
        image_urls: List[str],
        image_url: str,
        text_fields: Optional[Dict[str, Any]] = None,
        threshold: Optional[int] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.BundlesDocumentForgeryCheckData]":
        """Document forgery check: `POST /v1/bundles/document-forgery-check`."""
        return self.call(
            "/v1/bundles/document-forgery-check",
            given({
                "imageUrls": image_urls,
                "imageUrl": image_url,
                "textFields": text_fields,
                "threshold": threshold,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def bundles_professional_router(
        self,
        *,
        body_type: Literal['CA', 'CS', 'CMA'],
        membership_number: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.BundlesProfessionalRouterData]":
        """Professional router: `POST /v1/bundles/professional-router`."""
        return self.call(
            "/v1/bundles/professional-router",
            given({
                "body_type": body_type,
                "membershipNumber": membership_number,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def bundles_full_business_verification(
        self,
        *,
        udyam_number: str,
        cin: str,
        iec: str,
        name: str,
        tan: str,
        date_of_birth: Optional[str] = None,
        nationality: Optional[str] = None,
        include_categories: Optional[List[Literal['SANCTIONS', 'PEP', 'ADVERSE_MEDIA', 'REGULATORY', 'LAW_ENFORCEMENT']]] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.BundlesFullBusinessVerificationData]":
        """Full business verification: `POST /v1/bundles/full-business-verification`."""
        return self.call(
            "/v1/bundles/full-business-verification",
            given({
                "udyamNumber": udyam_number,
                "cin": cin,
                "iec": iec,
                "name": name,
                "tan": tan,
                "dateOfBirth": date_of_birth,
                "nationality": nationality,
                "includeCategories": include_categories,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def bundles_director_due_diligence(
        self,
        *,
        din: str,
        cin: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.BundlesDirectorDueDiligenceData]":
        """Director due diligence: `POST /v1/bundles/director-due-diligence`."""
        return self.call(
            "/v1/bundles/director-due-diligence",
            given({
                "din": din,
                "cin": cin,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def bundles_employment_claim_verification(
        self,
        *,
        mobile: str,
        uan: Optional[str] = None,
        name: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.BundlesEmploymentClaimVerificationData]":
        """Employment claim verification: `POST /v1/bundles/employment-claim-verification`."""
        return self.call(
            "/v1/bundles/employment-claim-verification",
            given({
                "mobile": mobile,
                "uan": uan,
                "name": name,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def bundles_credit_bureau_report(
        self,
        *,
        pan: str,
        mobile: str,
        name: str,
        date_of_birth: str,
        consent_artifact: models.BundlesCreditBureauReportConsentArtifact,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.BundlesCreditBureauReportData]":
        """Credit bureau report: `POST /v1/bundles/credit-bureau-report`."""
        return self.call(
            "/v1/bundles/credit-bureau-report",
            given({
                "pan": pan,
                "mobile": mobile,
                "name": name,
                "dateOfBirth": date_of_birth,
                "consentArtifact": consent_artifact,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def bundles_vehicle_forensic_verification(
        self,
        *,
        rc_number: str,
        engine_number: str,
        chassis_number: str,
        vehicle_number: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.BundlesVehicleForensicVerificationData]":
        """Vehicle forensic verification: `POST /v1/bundles/vehicle-forensic-verification`."""
        return self.call(
            "/v1/bundles/vehicle-forensic-verification",
            given({
                "rcNumber": rc_number,
                "engineNumber": engine_number,
                "chassisNumber": chassis_number,
                "vehicleNumber": vehicle_number,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def bundles_address_utility_verification(
        self,
        *,
        consumer_number: str,
        service_provider: str,
        state: str,
        city: str,
        property_number: str,
        bp_number: str,
        registered_mobile: Optional[str] = None,
        ulb: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.BundlesAddressUtilityVerificationData]":
        """Address utility verification: `POST /v1/bundles/address-utility-verification`."""
        return self.call(
            "/v1/bundles/address-utility-verification",
            given({
                "consumerNumber": consumer_number,
                "serviceProvider": service_provider,
                "state": state,
                "city": city,
                "propertyNumber": property_number,
                "bpNumber": bp_number,
                "registeredMobile": registered_mobile,
                "ulb": ulb,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def bundles_dynamic_bank_validation(
        self,
        *,
        account_number: Optional[str] = None,
        ifsc: Optional[str] = None,
        body_reference_id: Optional[str] = None,
        amount: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.BundlesDynamicBankValidationData]":
        """Dynamic bank validation: `POST /v1/bundles/dynamic-bank-validation`."""
        return self.call(
            "/v1/bundles/dynamic-bank-validation",
            given({
                "accountNumber": account_number,
                "ifsc": ifsc,
                "referenceId": body_reference_id,
                "amount": amount,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    def bundles_company_tan_identity(
        self,
        *,
        tan: str,
        cin: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.BundlesCompanyTanIdentityData]":
        """Company TAN identity: `POST /v1/bundles/company-tan-identity`."""
        return self.call(
            "/v1/bundles/company-tan-identity",
            given({
                "tan": tan,
                "cin": cin,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )


class AsyncOperations(AsyncTransport):
    """Calls each operation from a coroutine."""

    async def verify_identity_pan(
        self,
        *,
        pan: str,
        name: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyIdentityPanData]":
        """PAN: `POST /v1/verify/identity/pan`."""
        return await self.call(
            "/v1/verify/identity/pan",
            given({
                "pan": pan,
                "name": name,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_identity_dl(
        self,
        *,
        dl_number: str,
        date_of_birth: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyIdentityDlData]":
        """Driving licence: `POST /v1/verify/identity/dl`."""
        return await self.call(
            "/v1/verify/identity/dl",
            given({
                "dlNumber": dl_number,
                "dateOfBirth": date_of_birth,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_identity_voter(
        self,
        *,
        epic_number: str,
        include_regional_language: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyIdentityVoterData]":
        """Voter card: `POST /v1/verify/identity/voter`."""
        return await self.call(
            "/v1/verify/identity/voter",
            given({
                "epicNumber": epic_number,
                "includeRegionalLanguage": include_regional_language,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_identity_passport(
        self,
        *,
        file_number: str,
        date_of_birth: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyIdentityPassportData]":
        """Passport: `POST /v1/verify/identity/passport`."""
        return await self.call(
            "/v1/verify/identity/passport",
            given({
                "fileNumber": file_number,
                "dateOfBirth": date_of_birth,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_identity_face_liveness(
        self,
        *,
        image_url: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyIdentityFaceLivenessData]":
        """Face liveness: `POST /v1/verify/identity/face-liveness`."""
        return await self.call(
            "/v1/verify/identity/face-liveness",
            given({
                "imageUrl": image_url,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_identity_face_match(
        self,
        *,
        image_url1: str,
        image_url2: str,
        include_face_count: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyIdentityFaceMatchData]":
        """Face match: `POST /v1/verify/identity/face-match`."""
        return await self.call(
            "/v1/verify/identity/face-match",
            given({
                "imageUrl1": image_url1,
                "imageUrl2": image_url2,
                "includeFaceCount": include_face_count,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_identity_mobile_otp_start(
        self,
        *,
        mobile: str,
        consent: Optional[Literal['y']] = None,
        country_code: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyIdentityMobileOtpStartData]":
        """Mobile OTP: start: `POST /v1/verify/identity/mobile-otp/start`."""
        return await self.call(
            "/v1/verify/identity/mobile-otp/start",
            given({
                "mobile": mobile,
                "consent": consent,
                "countryCode": country_code,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_identity_mobile_otp_verify(
        self,
        *,
        request_id: str,
        otp: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyIdentityMobileOtpVerifyData]":
        """Mobile OTP: verify: `POST /v1/verify/identity/mobile-otp/verify`."""
        return await self.call(
            "/v1/verify/identity/mobile-otp/verify",
            given({
                "request_id": request_id,
                "otp": otp,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_identity_mobile_otp_fetch(
        self,
        *,
        request_id: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyIdentityMobileOtpFetchData]":
        """Mobile OTP: fetch: `POST /v1/verify/identity/mobile-otp/fetch`."""
        return await self.call(
            "/v1/verify/identity/mobile-otp/fetch",
            given({
                "request_id": request_id,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_identity_mobile_otp_s_start(
        self,
        *,
        mobile: str,
        country_code: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyIdentityMobileOtpSStartData]":
        """Mobile OTP silent: start: `POST /v1/verify/identity/mobile-otp-s/start`."""
        return await self.call(
            "/v1/verify/identity/mobile-otp-s/start",
            given({
                "mobile": mobile,
                "countryCode": country_code,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_identity_mobile_otp_s_fetch(
        self,
        *,
        mobile: str,
        body_reference_id: str,
        otp: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyIdentityMobileOtpSFetchData]":
        """Mobile OTP silent: fetch: `POST /v1/verify/identity/mobile-otp-s/fetch`."""
        return await self.call(
            "/v1/verify/identity/mobile-otp-s/fetch",
            given({
                "mobile": mobile,
                "referenceId": body_reference_id,
                "otp": otp,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_employment_uan_lookup(
        self,
        *,
        mobile: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyEmploymentUanLookupData]":
        """UAN look-up by mobile: `POST /v1/verify/employment/uan-lookup`."""
        return await self.call(
            "/v1/verify/employment/uan-lookup",
            given({
                "mobile": mobile,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_employment_uan(
        self,
        *,
        uan: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyEmploymentUanData]":
        """Employment history by UAN: `POST /v1/verify/employment/uan`."""
        return await self.call(
            "/v1/verify/employment/uan",
            given({
                "uan": uan,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_employment_epfo_establishment(
        self,
        *,
        establishment_id: str,
        months: Optional[int] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyEmploymentEpfoEstablishmentData]":
        """EPFO establishment: `POST /v1/verify/employment/epfo-establishment`."""
        return await self.call(
            "/v1/verify/employment/epfo-establishment",
            given({
                "establishmentId": establishment_id,
                "months": months,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_employment_epfo_name_search(
        self,
        *,
        name: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyEmploymentEpfoNameSearchData]":
        """EPFO establishment by name: `POST /v1/verify/employment/epfo-name-search`."""
        return await self.call(
            "/v1/verify/employment/epfo-name-search",
            given({
                "name": name,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_company_mca_cin_lookup(
        self,
        *,
        company_name: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyMcaCinLookupData]":
        """CIN by company name: `POST /v1/verify/company/mca/cin-lookup`."""
        return await self.call(
            "/v1/verify/company/mca/cin-lookup",
            given({
                "companyName": company_name,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_company_mca_master(
        self,
        *,
        cin: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyMcaMasterData]":
        """Company master data: `POST /v1/verify/company/mca/master`."""
        return await self.call(
            "/v1/verify/company/mca/master",
            given({
                "cin": cin,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_company_mca_signatories(
        self,
        *,
        cin: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyMcaSignatoriesData]":
        """Directors of a company: `POST /v1/verify/company/mca/signatories`."""
        return await self.call(
            "/v1/verify/company/mca/signatories",
            given({
                "cin": cin,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_company_mca_search(
        self,
        *,
        company_name: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyMcaSearchData]":
        """CINs of a company name: `POST /v1/verify/company/mca/search`."""
        return await self.call(
            "/v1/verify/company/mca/search",
            given({
                "companyName": company_name,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_company_roc_director(
        self,
        *,
        din: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyRocDirectorData]":
        """Director by DIN: `POST /v1/verify/company/roc/director`."""
        return await self.call(
            "/v1/verify/company/roc/director",
            given({
                "din": din,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_company_tan(
        self,
        *,
        tan: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyTanData]":
        """TAN: `POST /v1/verify/company/tan`."""
        return await self.call(
            "/v1/verify/company/tan",
            given({
                "tan": tan,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_company_udyam(
        self,
        *,
        udyam_number: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyUdyamData]":
        """Udyam registration: `POST /v1/verify/company/udyam`."""
        return await self.call(
            "/v1/verify/company/udyam",
            given({
                "udyamNumber": udyam_number,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_company_udyam_otp_confirm(
        self,
        *,
        udyam_number: str,
        otp: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyUdyamOtpConfirmData]":
        """Udyam registration: OTP confirmation: `POST /v1/verify/company/udyam/otp-confirm`."""
        return await self.call(
            "/v1/verify/company/udyam/otp-confirm",
            given({
                "udyamNumber": udyam_number,
                "otp": otp,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_company_iec(
        self,
        *,
        iec: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyIecData]":
        """Importer-exporter code: `POST /v1/verify/company/iec`."""
        return await self.call(
            "/v1/verify/company/iec",
            given({
                "iec": iec,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_company_shop_establishment(
        self,
        *,
        registration_number: str,
        state: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyShopEstablishmentData]":
        """Shop and establishment registration: `POST /v1/verify/company/shop-establishment`."""
        return await self.call(
            "/v1/verify/company/shop-establishment",
            given({
                "registrationNumber": registration_number,
                "state": state,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_company_tin(
        self,
        *,
        tin_number: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyTinData]":
        """TIN: `POST /v1/verify/company/tin`."""
        return await self.call(
            "/v1/verify/company/tin",
            given({
                "tinNumber": tin_number,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_company_gst(
        self,
        *,
        gstin: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyGstData]":
        """GST registration: `POST /v1/verify/company/gst`."""
        return await self.call(
            "/v1/verify/company/gst",
            given({
                "gstin": gstin,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_company_gst_detailed(
        self,
        *,
        gstin: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyCompanyGstDetailedData]":
        """GST registration with returns: `POST /v1/verify/company/gst-detailed`."""
        return await self.call(
            "/v1/verify/company/gst-detailed",
            given({
                "gstin": gstin,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_membership_ca(
        self,
        *,
        membership_number: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyMembershipCaData]":
        """Chartered accountant: `POST /v1/verify/membership/ca`."""
        return await self.call(
            "/v1/verify/membership/ca",
            given({
                "membershipNumber": membership_number,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_membership_cs(
        self,
        *,
        membership_number: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyMembershipCsData]":
        """Company secretary: `POST /v1/verify/membership/cs`."""
        return await self.call(
            "/v1/verify/membership/cs",
            given({
                "membershipNumber": membership_number,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_membership_cma(
        self,
        *,
        membership_number: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyMembershipCmaData]":
        """Cost accountant: `POST /v1/verify/membership/cma`."""
        return await self.call(
            "/v1/verify/membership/cma",
            given({
                "membershipNumber": membership_number,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_contact_email(
        self,
        *,
        email: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyContactEmailData]":
        """E-mail address: `POST /v1/verify/contact/email`."""
        return await self.call(
            "/v1/verify/contact/email",
            given({
                "email": email,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_financial_bank_account(
        self,
        *,
        account_number: str,
        ifsc: str,
        name_to_verify: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyFinancialBankAccountData]":
        """Bank account, silent: `POST /v1/verify/financial/bank-account`."""
        return await self.call(
            "/v1/verify/financial/bank-account",
            given({
                "accountNumber": account_number,
                "ifsc": ifsc,
                "nameToVerify": name_to_verify,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_financial_bank_dynamic_send(
        self,
        *,
        account_number: str,
        ifsc: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyFinancialBankDynamicSendData]":
        """Dynamic bank validation: send: `POST /v1/verify/financial/bank-dynamic/send`."""
        return await self.call(
            "/v1/verify/financial/bank-dynamic/send",
            given({
                "accountNumber": account_number,
                "ifsc": ifsc,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_financial_bank_dynamic_verify(
        self,
        *,
        body_reference_id: str,
        amount: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyFinancialBankDynamicVerifyData]":
        """Dynamic bank validation: verify: `POST /v1/verify/financial/bank-dynamic/verify`."""
        return await self.call(
            "/v1/verify/financial/bank-dynamic/verify",
            given({
                "referenceId": body_reference_id,
                "amount": amount,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_financial_credit_report(
        self,
        *,
        pan: str,
        mobile: str,
        name: str,
        date_of_birth: str,
        consent_artifact: models.VerifyFinancialCreditReportConsentArtifact,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyFinancialCreditReportData]":
        """Credit report: `POST /v1/verify/financial/credit-report`."""
        return await self.call(
            "/v1/verify/financial/credit-report",
            given({
                "pan": pan,
                "mobile": mobile,
                "name": name,
                "dateOfBirth": date_of_birth,
                "consentArtifact": consent_artifact,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_financial_ifsc(
        self,
        *,
        ifsc: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyFinancialIfscData]":
        """IFSC: `POST /v1/verify/financial/ifsc`."""
        return await self.call(
            "/v1/verify/financial/ifsc",
            given({
                "ifsc": ifsc,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_financial_bank_hybrid(
        self,
        *,
        account_number: str,
        ifsc: str,
        name_to_verify: str,
        mobile: Optional[str] = None,
        threshold: Optional[float] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyFinancialBankHybridData]":
        """Bank account, hybrid: `POST /v1/verify/financial/bank-hybrid`."""
        return await self.call(
            "/v1/verify/financial/bank-hybrid",
            given({
                "accountNumber": account_number,
                "ifsc": ifsc,
                "nameToVerify": name_to_verify,
                "mobile": mobile,
                "threshold": threshold,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_financial_bank_account_v1(
        self,
        *,
        ifsc: str,
        account_number: str,
        cust_name: Optional[str] = None,
        program_id: Optional[Literal['310', '311', '312']] = None,
        txn_type: Optional[Literal['ANY', 'IMPS', 'NACH', 'UPI']] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyFinancialBankAccountV1Data]":
        """Bank account V1: `POST /v1/verify/financial/bank-account-v1`."""
        return await self.call(
            "/v1/verify/financial/bank-account-v1",
            given({
                "ifsc": ifsc,
                "accountNumber": account_number,
                "custName": cust_name,
                "programId": program_id,
                "txnType": txn_type,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_financial_bank_account_v1_status(
        self,
        *,
        orig_request_id: str,
        program_id: Optional[Literal['310', '311', '312']] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyFinancialBankAccountV1StatusData]":
        """Bank account V1: status: `POST /v1/verify/financial/bank-account-v1/status`."""
        return await self.call(
            "/v1/verify/financial/bank-account-v1/status",
            given({
                "origRequestId": orig_request_id,
                "programId": program_id,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def screen_negative_diligence(
        self,
        *,
        name: str,
        date_of_birth: Optional[str] = None,
        nationality: Optional[str] = None,
        include_categories: Optional[List[Literal['SANCTIONS', 'PEP', 'ADVERSE_MEDIA', 'REGULATORY', 'LAW_ENFORCEMENT']]] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.ScreenNegativeDiligenceData]":
        """Negative diligence: `POST /v1/screen/negative-diligence`."""
        return await self.call(
            "/v1/screen/negative-diligence",
            given({
                "name": name,
                "dateOfBirth": date_of_birth,
                "nationality": nationality,
                "includeCategories": include_categories,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def screen_mobile_mnrl(
        self,
        *,
        mobile: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.ScreenMobileMnrlData]":
        """Revoked mobile numbers: `POST /v1/screen/mobile-mnrl`."""
        return await self.call(
            "/v1/screen/mobile-mnrl",
            given({
                "mobile": mobile,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def screen_mobile_silent(
        self,
        *,
        mobile: str,
        include_additional: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.ScreenMobileSilentData]":
        """Mobile subscriber, silent: `POST /v1/screen/mobile-silent`."""
        return await self.call(
            "/v1/screen/mobile-silent",
            given({
                "mobile": mobile,
                "includeAdditional": include_additional,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def screen_ip_quality(
        self,
        *,
        ip: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.ScreenIpQualityData]":
        """IP quality: `POST /v1/screen/ip-quality`."""
        return await self.call(
            "/v1/screen/ip-quality",
            given({
                "ip": ip,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def screen_email_fraud(
        self,
        *,
        email: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.ScreenEmailFraudData]":
        """E-mail fraud: `POST /v1/screen/email-fraud`."""
        return await self.call(
            "/v1/screen/email-fraud",
            given({
                "email": email,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def screen_court_records(
        self,
        *,
        name: str,
        father_name: Optional[str] = None,
        dob: Optional[str] = None,
        state: Optional[str] = None,
        city: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.ScreenCourtRecordsData]":
        """Court records: `POST /v1/screen/court-records`."""
        return await self.call(
            "/v1/screen/court-records",
            given({
                "name": name,
                "father_name": father_name,
                "dob": dob,
                "state": state,
                "city": city,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_utility_vehicle_rc(
        self,
        *,
        rc_number: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyUtilityVehicleRcData]":
        """Vehicle registration: `POST /v1/verify/utility/vehicle-rc`."""
        return await self.call(
            "/v1/verify/utility/vehicle-rc",
            given({
                "rcNumber": rc_number,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_utility_vehicle_rc_reverse(
        self,
        *,
        engine_number: str,
        chassis_number: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyUtilityVehicleRcReverseData]":
        """Vehicle by engine and chassis: `POST /v1/verify/utility/vehicle-rc-reverse`."""
        return await self.call(
            "/v1/verify/utility/vehicle-rc-reverse",
            given({
                "engineNumber": engine_number,
                "chassisNumber": chassis_number,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_utility_fastag(
        self,
        *,
        vehicle_number: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyUtilityFastagData]":
        """FASTag: `POST /v1/verify/utility/fastag`."""
        return await self.call(
            "/v1/verify/utility/fastag",
            given({
                "vehicleNumber": vehicle_number,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_utility_electricity(
        self,
        *,
        consumer_number: str,
        service_provider: str,
        registered_mobile: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyUtilityElectricityData]":
        """Electricity connection: `POST /v1/verify/utility/electricity`."""
        return await self.call(
            "/v1/verify/utility/electricity",
            given({
                "consumerNumber": consumer_number,
                "serviceProvider": service_provider,
                "registeredMobile": registered_mobile,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_utility_property_tax(
        self,
        *,
        state: str,
        city: str,
        property_number: str,
        ulb: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyUtilityPropertyTaxData]":
        """Property tax: `POST /v1/verify/utility/property-tax`."""
        return await self.call(
            "/v1/verify/utility/property-tax",
            given({
                "state": state,
                "city": city,
                "propertyNumber": property_number,
                "ulb": ulb,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_utility_png(
        self,
        *,
        bp_number: str,
        service_provider: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyUtilityPngData]":
        """Piped gas connection: `POST /v1/verify/utility/png`."""
        return await self.call(
            "/v1/verify/utility/png",
            given({
                "bpNumber": bp_number,
                "serviceProvider": service_provider,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_utility_lpg(
        self,
        *,
        lpg_id: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyUtilityLpgData]":
        """LPG connection: `POST /v1/verify/utility/lpg`."""
        return await self.call(
            "/v1/verify/utility/lpg",
            given({
                "lpgId": lpg_id,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_document_forgery(
        self,
        *,
        image_urls: List[str],
        text_fields: Optional[Dict[str, Any]] = None,
        threshold: Optional[int] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyDocumentForgeryData]":
        """Document forgery: `POST /v1/verify/document/forgery`."""
        return await self.call(
            "/v1/verify/document/forgery",
            given({
                "imageUrls": image_urls,
                "textFields": text_fields,
                "threshold": threshold,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_document_digilocker(
        self,
        *,
        redirect_url: str,
        requested_docs: Optional[List[str]] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyDocumentDigilockerData]":
        """Documents by consent: `POST /v1/verify/document/digilocker/start`."""
        return await self.call(
            "/v1/verify/document/digilocker/start",
            given({
                "redirectUrl": redirect_url,
                "requestedDocs": requested_docs,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_document_kyc_ocr(
        self,
        *,
        url: str,
        doc_types: Optional[List[Literal['PAN', 'AADHAAR', 'VOTER_ID', 'PASSPORT', 'DL']]] = None,
        pdf_password: Optional[str] = None,
        required_confidence: Optional[bool] = None,
        return_quality_checks: Optional[List[Literal['ALL', 'BRIGHTNESS', 'BLUR', 'BLACK_AND_WHITE', 'CUT_CARD']]] = None,
        mask_aadhaar_image: Optional[Literal['EIGHT_DIGITS', 'TWELVE_DIGITS', 'NONE']] = None,
        response_type: Optional[Literal['URL', 'BASE64']] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyDocumentKycOcrData]":
        """Identity document OCR: `POST /v1/verify/document/kyc-ocr`."""
        return await self.call(
            "/v1/verify/document/kyc-ocr",
            given({
                "url": url,
                "docTypes": doc_types,
                "pdfPassword": pdf_password,
                "requiredConfidence": required_confidence,
                "returnQualityChecks": return_quality_checks,
                "maskAadhaarImage": mask_aadhaar_image,
                "responseType": response_type,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_document_cheque_ocr(
        self,
        *,
        url: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyDocumentChequeOcrData]":
        """Cheque OCR: `POST /v1/verify/document/cheque-ocr`."""
        return await self.call(
            "/v1/verify/document/cheque-ocr",
            given({
                "url": url,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_document_kyc_ocr_s(
        self,
        *,
        urls: List[str],
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyDocumentKycOcrSData]":
        """Identity document OCR, several: `POST /v1/verify/document/kyc-ocr-s`."""
        return await self.call(
            "/v1/verify/document/kyc-ocr-s",
            given({
                "urls": urls,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_address_geocode(
        self,
        *,
        latitude: str,
        longitude: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyAddressGeocodeData]":
        """Address of a point: `POST /v1/verify/address/geocode`."""
        return await self.call(
            "/v1/verify/address/geocode",
            given({
                "latitude": latitude,
                "longitude": longitude,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_address_geo_fence(
        self,
        *,
        ip: str,
        country: str,
        state: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyAddressGeoFenceData]":
        """Geo-fence: `POST /v1/verify/address/geo-fence`."""
        return await self.call(
            "/v1/verify/address/geo-fence",
            given({
                "ip": ip,
                "country": country,
                "state": state,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_address_match(
        self,
        *,
        address1: str,
        address2: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyAddressMatchData]":
        """Address match: `POST /v1/verify/address/match`."""
        return await self.call(
            "/v1/verify/address/match",
            given({
                "address1": address1,
                "address2": address2,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_address_split(
        self,
        *,
        address: str,
        infer_state: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyAddressSplitData]":
        """Address split: `POST /v1/verify/address/split`."""
        return await self.call(
            "/v1/verify/address/split",
            given({
                "address": address,
                "inferState": infer_state,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def verify_name_match(
        self,
        *,
        name1: str,
        name2: str,
        type: Optional[Literal['individual', 'business']] = None,
        preset: Optional[str] = None,
        allow_partial_match: Optional[bool] = None,
        suppress_reorder_penalty: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.VerifyNameMatchData]":
        """Name match: `POST /v1/verify/name/match`."""
        return await self.call(
            "/v1/verify/name/match",
            given({
                "name1": name1,
                "name2": name2,
                "type": type,
                "preset": preset,
                "allowPartialMatch": allow_partial_match,
                "suppressReorderPenalty": suppress_reorder_penalty,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def bundles_full_identity_kyc(
        self,
        *,
        dl_number: str,
        date_of_birth: str,
        image_url1: str,
        image_url2: str,
        image_url: str,
        include_face_count: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.BundlesFullIdentityKycData]":
        """Full identity KYC: `POST /v1/bundles/full-identity-kyc`."""
        return await self.call(
            "/v1/bundles/full-identity-kyc",
            given({
                "dlNumber": dl_number,
                "dateOfBirth": date_of_birth,
                "imageUrl1": image_url1,
                "imageUrl2": image_url2,
                "imageUrl": image_url,
                "includeFaceCount": include_face_count,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def bundles_fraud_check(
        self,
        *,
        mobile: str,
        email: str,
        name: str,
        include_additional: Optional[bool] = None,
        date_of_birth: Optional[str] = None,
        nationality: Optional[str] = None,
        include_categories: Optional[List[Literal['SANCTIONS', 'PEP', 'ADVERSE_MEDIA', 'REGULATORY', 'LAW_ENFORCEMENT']]] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.BundlesFraudCheckData]":
        """Fraud check: `POST /v1/bundles/fraud-check`."""
        return await self.call(
            "/v1/bundles/fraud-check",
            given({
                "mobile": mobile,
                "email": email,
                "name": name,
                "includeAdditional": include_additional,
                "dateOfBirth": date_of_birth,
                "nationality": nationality,
                "includeCategories": include_categories,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def bundles_document_forgery_check(
        self,
        *,
        image_urls: List[str],
        image_url: str,
        text_fields: Optional[Dict[str, Any]] = None,
        threshold: Optional[int] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.BundlesDocumentForgeryCheckData]":
        """Document forgery check: `POST /v1/bundles/document-forgery-check`."""
        return await self.call(
            "/v1/bundles/document-forgery-check",
            given({
                "imageUrls": image_urls,
                "imageUrl": image_url,
                "textFields": text_fields,
                "threshold": threshold,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def bundles_professional_router(
        self,
        *,
        body_type: Literal['CA', 'CS', 'CMA'],
        membership_number: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.BundlesProfessionalRouterData]":
        """Professional router: `POST /v1/bundles/professional-router`."""
        return await self.call(
            "/v1/bundles/professional-router",
            given({
                "body_type": body_type,
                "membershipNumber": membership_number,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def bundles_full_business_verification(
        self,
        *,
        udyam_number: str,
        cin: str,
        iec: str,
        name: str,
        tan: str,
        date_of_birth: Optional[str] = None,
        nationality: Optional[str] = None,
        include_categories: Optional[List[Literal['SANCTIONS', 'PEP', 'ADVERSE_MEDIA', 'REGULATORY', 'LAW_ENFORCEMENT']]] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.BundlesFullBusinessVerificationData]":
        """Full business verification: `POST /v1/bundles/full-business-verification`."""
        return await self.call(
            "/v1/bundles/full-business-verification",
            given({
                "udyamNumber": udyam_number,
                "cin": cin,
                "iec": iec,
                "name": name,
                "tan": tan,
                "dateOfBirth": date_of_birth,
                "nationality": nationality,
                "includeCategories": include_categories,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def bundles_director_due_diligence(
        self,
        *,
        din: str,
        cin: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.BundlesDirectorDueDiligenceData]":
        """Director due diligence: `POST /v1/bundles/director-due-diligence`."""
        return await self.call(
            "/v1/bundles/director-due-diligence",
            given({
                "din": din,
                "cin": cin,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def bundles_employment_claim_verification(
        self,
        *,
        mobile: str,
        uan: Optional[str] = None,
        name: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.BundlesEmploymentClaimVerificationData]":
        """Employment claim verification: `POST /v1/bundles/employment-claim-verification`."""
        return await self.call(
            "/v1/bundles/employment-claim-verification",
            given({
                "mobile": mobile,
                "uan": uan,
                "name": name,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def bundles_credit_bureau_report(
        self,
        *,
        pan: str,
        mobile: str,
        name: str,
        date_of_birth: str,
        consent_artifact: models.BundlesCreditBureauReportConsentArtifact,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.BundlesCreditBureauReportData]":
        """Credit bureau report: `POST /v1/bundles/credit-bureau-report`."""
        return await self.call(
            "/v1/bundles/credit-bureau-report",
            given({
                "pan": pan,
                "mobile": mobile,
                "name": name,
                "dateOfBirth": date_of_birth,
                "consentArtifact": consent_artifact,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def bundles_vehicle_forensic_verification(
        self,
        *,
        rc_number: str,
        engine_number: str,
        chassis_number: str,
        vehicle_number: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.BundlesVehicleForensicVerificationData]":
        """Vehicle forensic verification: `POST /v1/bundles/vehicle-forensic-verification`."""
        return await self.call(
            "/v1/bundles/vehicle-forensic-verification",
            given({
                "rcNumber": rc_number,
                "engineNumber": engine_number,
                "chassisNumber": chassis_number,
                "vehicleNumber": vehicle_number,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def bundles_address_utility_verification(
        self,
        *,
        consumer_number: str,
        service_provider: str,
        state: str,
        city: str,
        property_number: str,
        bp_number: str,
        registered_mobile: Optional[str] = None,
        ulb: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.BundlesAddressUtilityVerificationData]":
        """Address utility verification: `POST /v1/bundles/address-utility-verification`."""
        return await self.call(
            "/v1/bundles/address-utility-verification",
            given({
                "consumerNumber": consumer_number,
                "serviceProvider": service_provider,
                "state": state,
                "city": city,
                "propertyNumber": property_number,
                "bpNumber": bp_number,
                "registeredMobile": registered_mobile,
                "ulb": ulb,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def bundles_dynamic_bank_validation(
        self,
        *,
        account_number: Optional[str] = None,
        ifsc: Optional[str] = None,
        body_reference_id: Optional[str] = None,
        amount: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.BundlesDynamicBankValidationData]":
        """Dynamic bank validation: `POST /v1/bundles/dynamic-bank-validation`."""
        return await self.call(
            "/v1/bundles/dynamic-bank-validation",
            given({
                "accountNumber": account_number,
                "ifsc": ifsc,
                "referenceId": body_reference_id,
                "amount": amount,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )

    async def bundles_company_tan_identity(
        self,
        *,
        tan: str,
        cin: str,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[models.BundlesCompanyTanIdentityData]":
        """Company TAN identity: `POST /v1/bundles/company-tan-identity`."""
        return await self.call(
            "/v1/bundles/company-tan-identity",
            given({
                "tan": tan,
                "cin": cin,
            }),
            idempotency_key=idempotency_key,
            reference_id=reference_id,
        )
