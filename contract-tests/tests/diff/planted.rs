//! What is planted in the second implementation, and the difference that names each.

/// What is planted, and the one difference that names it: its kind, and what is different.
pub(crate) const PLANTED: [(&str, &str, &str); 30] = [
    (
        "drop_field:verify.identity.dl:photo",
        "member",
        "data.photo",
    ),
    (
        "drop_field:verify.company.gst:registrationDate",
        "member",
        "data.registrationDate",
    ),
    (
        "rename_field:verify.identity.passport:surname",
        "member",
        "data.surname",
    ),
    ("billing_currency_missing", "member", "billing.currency"),
    ("error_message_missing", "member", "error.message"),
    ("wrong_type:verify.identity.voter:age", "type", "data.age"),
    ("wrong_type:verify.membership.ca:name", "type", "data.name"),
    ("bank_v1_fuzzy_number", "type", "data.fuzzyLogicScore"),
    ("latency_typical", "latency", "meta.latencyMs"),
    (
        "null_field:verify.financial.ifsc:branch",
        "nullability",
        "data.branch",
    ),
    (
        "null_field:verify.utility.png:consumerName",
        "nullability",
        "data.consumerName",
    ),
    ("rc_month_year_iso", "format", "data.manufacturingMonthYear"),
    ("name_match_percent", "format", "data.score"),
    ("meta_created_offset", "format", "meta.createdAt"),
    (
        "bank_v1_status_word",
        "enumeration",
        "data.acValidationStatus",
    ),
    (
        "env_live_on:verify.address.geocode",
        "enumeration",
        "meta.environment",
    ),
    (
        "no_record_404",
        "status",
        "calls that end 422 SVC_NO_RECORD_FOUND",
    ),
    (
        "auth_bad_key_403",
        "status",
        "calls that end 401 SVC_AUTH_INVALID",
    ),
    (
        "not_deployed:verify.company.tin",
        "status",
        "all calls of verify.company.tin",
    ),
    (
        "require_optional:verify.identity.voter:includeRegionalLanguage",
        "status",
        "calls with another includeRegionalLanguage",
    ),
    ("pan_pattern_unchecked", "status", "calls with another pan"),
    (
        "source_unavailable_not_retryable",
        "code",
        "error.retryable",
    ),
    (
        "env_mismatch_code_auth_invalid",
        "code",
        "calls that end 401 SVC_KEY_ENVIRONMENT_MISMATCH",
    ),
    ("replay_header", "header", "header idempotent-replayed"),
    ("other_prices", "price", "billing.amount"),
    ("uncharged:verify.membership.cs", "price", "billing.charged"),
    (
        "marker_after_format",
        "order",
        "a call with the sentinel inside an identifier",
    ),
    (
        "conflict_400",
        "idempotency",
        "calls that end 409 SVC_IDEMPOTENCY_CONFLICT",
    ),
    (
        "replay_ignored_on:verify.employment.uan-lookup",
        "idempotency",
        "calls of verify.employment.uan-lookup",
    ),
    ("wrong_endpoint:verify.company.iec", "behaviour", "endpoint"),
];

/// What of it the service calls harmless.
pub(crate) const HARMLESS: [&str; 3] = ["replay_header", "other_prices", "latency_typical"];

/// What is planted alone, and shows in the form of answers as in how several of them belong together.
pub(crate) const ALONE: [(&str, &str, &str); 26] = [
    ("meta_latency_negative", "behaviour", "envelope.meta"),
    ("status_uppercase", "status", "status"),
    ("ref_null_on_errors", "behaviour", "referenceId"),
    ("ref_not_echoed", "behaviour", "referenceId"),
    ("ref_stale", "behaviour", "referenceId"),
    ("endpoint_underscored", "behaviour", "endpoint"),
    ("conflict_as_text", "header", "header content-type"),
    ("error_code_unprefixed", "code", "error.code"),
    ("vid_constant", "behaviour", "verificationId"),
    ("vid_bare_prefix", "format", "verificationId"),
    ("vid_number", "type", "verificationId"),
    (
        "replay_ignored_live",
        "idempotency",
        "idempotency.no-double-charge",
    ),
    ("replay_409", "idempotency", "calls with an idempotency key"),
    ("name_match_percent", "format", "data.score"),
    ("no_record_status_completed", "status", "status"),
    (
        "missing_field_accepted",
        "status",
        "a call with something missing (validation.input, validation.live)",
    ),
    (
        "error_code_missing",
        "code",
        "the code of calls that end in an error",
    ),
    (
        "errors_plain_text_401",
        "code",
        "the code of calls that end in an error",
    ),
    (
        "geofence_inverted",
        "behaviour",
        "address.geo-fence.valid-user",
    ),
    (
        "conflict_poisons",
        "idempotency",
        "calls of idempotency.conflict",
    ),
    (
        "conflict_live_only",
        "idempotency",
        "calls that end 409 SVC_IDEMPOTENCY_CONFLICT",
    ),
    ("env_drop_verification_id", "member", "verificationId"),
    (
        "meta_environment_swapped",
        "enumeration",
        "meta.environment",
    ),
    ("data_as_json_text", "type", "data"),
    ("wallet_drifts", "price", "billing.balance-falls"),
    ("wallet_not_decremented", "price", "billing.balance-falls"),
];

/// What is planted in webhooks, and the difference that names it.
pub(crate) const IN_WEBHOOKS: [(&str, &str); 9] = [
    ("webhook_sig_uppercase", "signature of the webhook"),
    ("webhook_sig_body_only", "its signature of the webhook"),
    ("webhook_no_signature", "signature of the webhook"),
    (
        "webhook_environment_live",
        "meta.environment of the webhook",
    ),
    ("webhook_data_missing", "data of the webhook"),
    ("webhook_status_pending", "states.terminal"),
    ("webhook_new_verification_id", "webhook.envelope"),
    ("webhook_reference_lost", "envelope.reference-id"),
    ("webhook_never_sent", "document.digilocker.webhook"),
];

/// What is planted in how other keys are treated, and the difference that names it.
pub(crate) const IN_KEYS: [(&str, &str, &str); 3] = [
    (
        "revoked_key_accepted",
        "status",
        "calls with a key that is revoked",
    ),
    (
        "ip_not_allowed_401",
        "status",
        "calls with a key that is blocked",
    ),
    (
        "rate_limit_code",
        "code",
        "calls that end 429 SVC_RATE_LIMITED",
    ),
];
