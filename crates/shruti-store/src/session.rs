//! Sessions, and one-time sign-in links.

use std::fmt;

use async_trait::async_trait;

use crate::account::Account;
use crate::error::StoreError;
use crate::secret::{self, SecretHash};

/// Number of characters after the prefix of a secret. They have 262 bits of entropy.
const SECRET_CHARS: usize = 44;

/// Maximum idle time of a session, in milliseconds: 7 days.
pub const SESSION_IDLE_MS: i64 = 7 * 86_400_000;
/// Maximum lifetime of a session, in milliseconds: 30 days.
pub const SESSION_LIFE_MS: i64 = 30 * 86_400_000;
/// Maximum number of sessions of an account; a further session ends the oldest one.
pub const MAX_SESSIONS: u32 = 50;
/// Lifetime of a sign-in link, in milliseconds: 1 hour.
pub const LINK_LIFE_MS: i64 = 3_600_000;
/// Minimum time between two links that are sent to an account by email, in milliseconds: 10 minutes.
pub const LINK_AGAIN_MS: i64 = 600_000;
/// Time after signing in with a link during which the user can set a password without entering the current password, in
/// milliseconds: 1 hour.
pub const LINK_SESSION_SETS_PASSWORD_MS: i64 = 3_600_000;

macro_rules! secret_text {
    ($(#[$about:meta])* $name:ident, $prefix:literal) => {
        $(#[$about])*
        /// The secret is never stored, and needs no escaping in a URL or a cookie. `Debug` hides its text.
        #[derive(Clone)]
        pub struct $name(String);

        impl $name {
            /// Generates a random secret.
            pub fn generate() -> Result<Self, getrandom::Error> {
                secret::generate($prefix, SECRET_CHARS).map(Self)
            }

            /// Parses the text that a caller presents. Returns `None` if it does not have the right form.
            pub fn parse(presented: &str) -> Option<Self> {
                secret::is_well_formed(presented, $prefix, SECRET_CHARS).then(|| Self(presented.to_owned()))
            }

            /// Returns the text, which only the holder may receive.
            pub fn reveal(&self) -> &str {
                &self.0
            }

            /// Returns the hash that is stored.
            pub fn hash(&self) -> SecretHash {
                SecretHash::of(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(…)"))
            }
        }
    };
}

secret_text! {
    /// Secret of a session, kept in a browser cookie: `ses_` and 44 letters and digits.
    SessionSecret, "ses_"
}

secret_text! {
    /// Secret of a one-time sign-in link: `link_` and 44 letters and digits.
    LinkSecret, "link_"
}

secret_text! {
    /// Secret of a link that verifies an address: `verify_` and 44 letters and digits.
    VerificationSecret, "verify_"
}

/// Valid session.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// Account of the session, in its current state.
    pub account: Account,
    /// Start of the session, in milliseconds since 1970.
    pub created_ms: i64,
    /// End of the session, in milliseconds since 1970. An idle session ends earlier, [`SESSION_IDLE_MS`] after its last
    /// use.
    pub ends_ms: i64,
    /// End of the time during which the user can set a password without entering the current password, in milliseconds
    /// since 1970; `None` if the user did not sign in with a link.
    pub sets_password_until_ms: Option<i64>,
}

impl Session {
    /// Returns `true` if the user can set a password without entering the current password.
    pub fn may_set_password(&self, now_ms: i64) -> bool {
        self.sets_password_until_ms.is_some_and(|until| until > now_ms)
    }
}

/// Identifier of a session, used to list and end the sessions of an account. It cannot be used to sign in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionId(pub(crate) SecretHash);

impl SessionId {
    /// Parses an identifier. Returns `None` if the text does not have the form of an identifier.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 64 || !digits.iter().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(b)) {
            return None;
        }
        let mut hash = [0; 32];
        for (byte, pair) in hash.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let pair = std::str::from_utf8(pair).ok()?;
            *byte = u8::from_str_radix(pair, 16).ok()?;
        }
        Some(Self(SecretHash(hash)))
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Session of an account, as its holder sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedSession {
    /// Identifier.
    pub id: SessionId,
    /// `true` for the session of the caller.
    pub is_own: bool,
    /// Start of the session, in milliseconds since 1970.
    pub created_ms: i64,
    /// Last use in milliseconds since 1970, with a precision of a minute.
    pub used_ms: i64,
    /// `true` if the session began with a link instead of a password.
    pub came_by_link: bool,
    /// Browser and operating system, if they were [noted](SessionStore::note_browser).
    pub browser: Option<String>,
}

/// Session that has just begun. Its secret cannot be retrieved later.
#[derive(Clone, Debug)]
pub struct NewSession {
    /// Secret for the browser's cookie. Each session has a new secret, which prevents session fixation.
    pub secret: SessionSecret,
    /// Stored session.
    pub session: Session,
}

/// Link that was just created. Its secret cannot be retrieved later.
#[derive(Clone, Debug)]
pub struct NewLink {
    /// Secret, to be shown once.
    pub secret: LinkSecret,
    /// Expiry, in milliseconds since 1970.
    pub expires_ms: i64,
}

/// Sessions and sign-in links, found by the hashes of their secrets.
///
/// The server has to protect forms against cross-site request forgery. For this purpose a page can contain a value that
/// is derived from the secret; the secret itself must never leave the cookie.
#[async_trait]
pub trait SessionStore {
    /// Returns the session of a secret if it is valid, and records its use. The use is written at most once a minute,
    /// so that a page with many requests causes one write. The sessions of a locked account are invalid.
    async fn find_session(&self, session: SecretHash, now_ms: i64) -> Result<Option<Session>, StoreError>;

    /// Stores a short description of the browser of a session, such as `Firefox on Linux`. The `User-Agent` header
    /// itself is not stored, because it has no maximum length and contains more than is needed.
    async fn note_browser(&self, session: SecretHash, browser: String) -> Result<(), StoreError>;

    /// Returns the sessions of the account that a session belongs to, most recently used first. The list is empty if
    /// that session has ended.
    async fn list_sessions(&self, session: SecretHash, now_ms: i64)
    -> Result<Vec<ListedSession>, StoreError>;

    /// Ends a session of the account that `session` belongs to. Returns `false` if the account has no session with that
    /// identifier.
    async fn end_listed_session(
        &self,
        session: SecretHash,
        ended: SessionId,
        now_ms: i64,
    ) -> Result<bool, StoreError>;

    /// Ends a session. Returns `false` if the session does not exist.
    async fn end_session(&self, session: SecretHash, now_ms: i64) -> Result<bool, StoreError>;

    /// Ends all sessions of the account that a session belongs to, including that one, and deletes the links of the
    /// account. Returns the number of ended sessions.
    async fn end_all_sessions(&self, session: SecretHash, now_ms: i64) -> Result<u32, StoreError>;

    /// Consumes a link and begins a session. Of several concurrent callers only one gets the session. A `GET` request
    /// must not consume a link, because some programs open the links in an email before the recipient does. The page of
    /// the link therefore needs a button.
    ///
    /// If the link was sent by email and is the first proof of the address, the call removes the password, ends all
    /// sessions and revokes all API keys of the account, because someone else may have signed up with this address.
    async fn use_sign_in_link(&self, link: SecretHash, now_ms: i64)
    -> Result<Option<NewSession>, StoreError>;
}
