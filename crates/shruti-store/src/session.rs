//! Sessions of people who signed in, and links that sign in once.

use std::fmt;

use async_trait::async_trait;

use crate::account::Account;
use crate::error::StoreError;
use crate::secret::{self, SecretHash};

/// Characters of a session or a link after its prefix: 262 bits.
const SECRET_CHARS: usize = 44;

/// How long a session lives without being used, in milliseconds: 7 days.
pub const SESSION_IDLE_MS: i64 = 7 * 86_400_000;
/// How long a session lives however much it is used, in milliseconds: 30 days.
pub const SESSION_LIFE_MS: i64 = 30 * 86_400_000;
/// The most sessions of one account; one more ends the oldest.
pub const MAX_SESSIONS: u32 = 50;
/// How long a link can be used after it was made, in milliseconds: an hour.
pub const LINK_LIFE_MS: i64 = 3_600_000;
/// How long after a link was sent by mail no other is sent, in milliseconds: 10 minutes.
pub const LINK_AGAIN_MS: i64 = 600_000;
/// How long a session that came from a link may set a password without the present one, in milliseconds: an hour.
pub const LINK_SESSION_SETS_PASSWORD_MS: i64 = 3_600_000;

macro_rules! secret_text {
    ($(#[$about:meta])* $name:ident, $prefix:literal) => {
        $(#[$about])*
        ///
        /// It is stored nowhere, needs no escaping in a URL or a cookie, and `Debug` hides it.
        #[derive(Clone)]
        pub struct $name(String);

        impl $name {
            /// A new random one.
            pub fn generate() -> Result<Self, getrandom::Error> {
                secret::generate($prefix, SECRET_CHARS).map(Self)
            }

            /// Reads what a caller presents; `None` unless it has the right shape.
            pub fn parse(presented: &str) -> Option<Self> {
                secret::is_well_formed(presented, $prefix, SECRET_CHARS).then(|| Self(presented.to_owned()))
            }

            /// Its text, for the one who may have it.
            pub fn reveal(&self) -> &str {
                &self.0
            }

            /// What is stored in its place.
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
    /// What a browser keeps in its cookie: `ses_` and 44 letters and digits.
    SessionSecret, "ses_"
}

secret_text! {
    /// What stands in a link that signs in once: `link_` and 44 letters and digits.
    LinkSecret, "link_"
}

secret_text! {
    /// What stands in a link that verifies an address: `verify_` and 44 letters and digits.
    VerificationSecret, "verify_"
}

/// A session that goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// Whose it is, as the account is now.
    pub account: Account,
    /// When it began, in milliseconds since 1970.
    pub created_ms: i64,
    /// When it ends however much it is used; unused it ends [`SESSION_IDLE_MS`] after its last use.
    pub ends_ms: i64,
    /// Until when it may set a password without the present one: it came from a link.
    pub sets_password_until_ms: Option<i64>,
}

impl Session {
    /// Whether it may set a password without the present one.
    pub fn may_set_password(&self, now_ms: i64) -> bool {
        self.sets_password_until_ms.is_some_and(|until| until > now_ms)
    }
}

/// What a session is called to its account's other sessions: it tells them apart, and signs nobody in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionId(pub(crate) SecretHash);

impl SessionId {
    /// Reads an id; `None` unless it has the shape of one.
    pub fn parse(given: &str) -> Option<Self> {
        let digits = given.as_bytes();
        if digits.len() != 64 || !digits.iter().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(b)) {
            return None;
        }
        let mut hash = [0; 32];
        for (byte, pair) in hash.iter_mut().zip(given.as_bytes().chunks_exact(2)) {
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

/// One of the sessions of an account, as its holder sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedSession {
    /// What it is called.
    pub id: SessionId,
    /// Whether it is the one that asks.
    pub is_own: bool,
    /// When it began, in milliseconds since 1970.
    pub created_ms: i64,
    /// When it was last used, to the minute.
    pub used_ms: i64,
    /// Whether a link began it, and not a password.
    pub came_by_link: bool,
    /// The browser and its system, if they were [noted](SessionStore::note_browser).
    pub browser: Option<String>,
}

/// A session that just began: the only moment its secret is known.
#[derive(Clone, Debug)]
pub struct NewSession {
    /// The secret, for the browser's cookie. A new one is made each time, so nobody can fix it beforehand.
    pub secret: SessionSecret,
    /// What was stored.
    pub session: Session,
}

/// A link that was just made: the only moment its secret is known.
#[derive(Clone, Debug)]
pub struct NewLink {
    /// The secret, to be shown once.
    pub secret: LinkSecret,
    /// When it stops, in milliseconds since 1970.
    pub expires_ms: i64,
}

/// Sessions and sign-in links, known by the hashes of their secrets.
///
/// What protects forms against other sites (CSRF) is for the server: the secret itself never leaves the cookie, and
/// something derived from it can stand in a page.
#[async_trait]
pub trait SessionStore {
    /// The session of a secret, if it goes on, and notes that it was used (to the minute, so that a page with many
    /// requests writes once). A session of an account that the operator locked does not go on.
    async fn find_session(&self, session: SecretHash, now_ms: i64) -> Result<Option<Session>, StoreError>;

    /// Notes in which browser a session is, in words that its holder knows, such as `Firefox on Linux`. Not what the
    /// browser sent: that could be of any length, and tell more than is needed.
    async fn note_browser(&self, session: SecretHash, browser: String) -> Result<(), StoreError>;

    /// The sessions of the account that a session belongs to, the last used first; none if that one is over.
    async fn list_sessions(&self, session: SecretHash, now_ms: i64)
    -> Result<Vec<ListedSession>, StoreError>;

    /// Ends a session of the account that `session` belongs to; whether there was one of that id.
    async fn end_listed_session(
        &self,
        session: SecretHash,
        ended: SessionId,
        now_ms: i64,
    ) -> Result<bool, StoreError>;

    /// Ends one session; whether it was there.
    async fn end_session(&self, session: SecretHash, now_ms: i64) -> Result<bool, StoreError>;

    /// Ends all sessions of the account that a session belongs to, this one too, and its links; how many there were.
    async fn end_all_sessions(&self, session: SecretHash, now_ms: i64) -> Result<u32, StoreError>;

    /// Uses a link up and begins a session; of several callers at once only one gets it. Not by `GET`: programs that
    /// look at links before people do would use them up, so the page behind the link asks for one press of a button.
    ///
    /// One that was sent by mail and is the first proof of the address ends the password, all sessions and all keys of the
    /// account: whoever made them had proved nothing.
    async fn use_sign_in_link(&self, link: SecretHash, now_ms: i64)
    -> Result<Option<NewSession>, StoreError>;
}
