//! How mails are sent.

use shruti_mail::Mailer;
use shruti_store::Origin;

/// By what mails are sent, and what their links lead to.
#[derive(Clone, Debug)]
pub struct MailConfig {
    /// What sends them.
    pub mailer: Mailer,
    /// The server as people reach it. It is set and not taken from a request, whose `Host` anybody can choose.
    pub public_url: Origin,
    /// Whether accounts make keys and redeem promo codes only once their address is verified; operators' always may.
    pub require_verified: bool,
}
