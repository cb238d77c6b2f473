//! Settings for outgoing email.

use shruti_mail::Mailer;
use shruti_store::Origin;

/// Settings for outgoing email.
#[derive(Clone, Debug)]
pub struct MailConfig {
    /// Mail sender.
    pub mailer: Mailer,
    /// Public URL of the server, for links in emails. It is a setting, not taken from a request, because a client can
    /// send any `Host`.
    pub public_url: Origin,
    /// Whether accounts must verify their address before they can create keys and redeem promo codes. Operators'
    /// accounts are exempt.
    pub require_verified: bool,
}
