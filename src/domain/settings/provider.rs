//! Providers whose mail server takes a token in place of a password, which a program asks for by a secret of its own (OAuth 2.0,
//! client credentials: RFC 6749 §4.4).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The place of the tenant in an address of tokens.
pub(super) const TENANT: &str = "{tenant}";

/// How the program gets into the mail server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MailAccess {
    /// By user name and password; without either where the user name is empty.
    #[default]
    Password,
    /// By a token of Microsoft 365, which a registered application gets for its secret (OAuth 2.0, client credentials).
    Microsoft365,
}

/// A provider, as `smtpAccess` names it.
pub struct Provider {
    pub access: MailAccess,
    /// Address at which tokens are asked for, with `{tenant}`.
    pub token_url: &'static str,
    /// What a token is to be good for.
    pub scope: &'static str,
    /// Its mail server, and the port of that.
    pub host: &'static str,
    pub port: u32,
}

/// Google Workspace is no row: its service accounts sign an assertion with a key (RFC 7523) and have no secret to ask with.
const PROVIDERS: [Provider; 1] = [Provider {
    access: MailAccess::Microsoft365,
    token_url: "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token",
    scope: "https://outlook.office365.com/.default",
    host: "smtp.office365.com",
    port: 587,
}];

/// The values a token is asked for with, besides the secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRequest {
    pub url: String,
    pub client_id: String,
    pub scope: String,
}

impl MailAccess {
    /// The provider whose tokens take the place of the password, if any.
    pub fn provider(self) -> Option<&'static Provider> {
        PROVIDERS.iter().find(|provider| provider.access == self)
    }
}

impl Provider {
    /// The request for a token; what is empty is the provider's own.
    pub(super) fn request(
        &self,
        url: &str,
        tenant: &str,
        client: &str,
        scope: &str,
    ) -> TokenRequest {
        let own = |value: &str, own: &str| if value.is_empty() { own } else { value }.to_owned();
        TokenRequest {
            url: own(url, self.token_url).replace(TENANT, tenant),
            client_id: client.to_owned(),
            scope: own(scope, self.scope),
        }
    }
}
