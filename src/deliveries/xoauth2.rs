//! Shows a token to a mail server, by XOAUTH2 in place of a user's password.
//! <https://learn.microsoft.com/exchange/client-developer/legacy-protocols/how-to-authenticate-an-imap-pop-smtp-application-by-using-oauth>

use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::SmtpConnection;
use lettre::transport::smtp::commands::Auth;

/// The status of a challenge: it tells in JSON why the token is refused, and the refusal waits for an empty line. lettre's own
/// login gives up there.
const CHALLENGE: u16 = 334;
const EMPTY_LINE: &str = "\r\n";

pub(super) fn is_offered(connection: &SmtpConnection) -> bool {
    connection
        .server_info()
        .supports_auth_mechanism(Mechanism::Xoauth2)
}

/// Logs in as this user.
pub(super) fn log_in(
    connection: &mut SmtpConnection,
    user: &str,
    token: &str,
) -> Result<(), Error> {
    let login = Credentials::new(user.to_owned(), token.to_owned());
    let answer = connection.command(Auth::new(Mechanism::Xoauth2, login, None)?)?;
    if answer.has_code(CHALLENGE) {
        connection.command(EMPTY_LINE)?;
    }
    Ok(())
}
