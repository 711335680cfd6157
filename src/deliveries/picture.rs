//! Fetches a picture once, so that the newsroom's logo can be served from here (PRODUCT.md §8).
//! It must never follow a redirect, connect to an address that was not checked, or take in more than a logo may weigh.

use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::DefaultConnector;

use super::policy::{self, OutboundPolicy};
use crate::domain::delivery::Failure;
use crate::domain::media::image::{HEAVY, MAX_BYTES};

/// The file at an address, whatever it is: the caller inspects it.
pub fn fetch(url: &str, policy: &OutboundPolicy) -> Result<Vec<u8>, Failure> {
    let agent = policy.agent(DefaultConnector::new(), DefaultResolver::default());
    let request = agent
        .get(url)
        .header("accept", "image/png, image/jpeg, image/webp");
    let mut answer = request.call().map_err(|error| explain(&error))?;
    let status = answer.status();
    if status.is_redirection() {
        return Err(Failure::permanent(
            "L'indirizzo del logo rimanda a un altro: scrivi quello definitivo.",
        ));
    }
    if !status.is_success() {
        return Err(Failure::passing(format!(
            "Il server del logo ha risposto HTTP {}.",
            status.as_u16()
        )));
    }
    // The limit is met when it is reached, even where nothing follows.
    let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    let body = answer.body_mut().with_config().limit(limit);
    body.read_to_vec().map_err(|error| explain(&error))
}

fn explain(error: &ureq::Error) -> Failure {
    if matches!(error, ureq::Error::BodyExceedsLimit(_)) {
        return Failure::permanent(HEAVY);
    }
    let failure = policy::explain(error, "del logo");
    Failure::passing(format!("{failure} Puoi anche caricare il file."))
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{Ipv4Addr, TcpListener};
    use std::thread::{JoinHandle, spawn};
    use std::time::Duration;

    use super::*;

    /// Answers one connection with these bytes; gives what was asked.
    fn answering(answer: Vec<u8>) -> (String, JoinHandle<String>) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let url = format!("http://{}/logo.png", listener.local_addr().expect("a port"));
        let asked = spawn(move || {
            let (mut stream, _) = listener.accept().expect("a call");
            let mut request = Vec::new();
            let mut byte = [0];
            while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|n| n > 0) {
                request.extend(byte);
            }
            // The other side may have had enough before the end.
            let _ = stream.write_all(&answer);
            String::from_utf8_lossy(&request).into_owned()
        });
        (url, asked)
    }

    fn response(head: &str, body: &[u8]) -> Vec<u8> {
        let head = format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\n\r\n", body.len());
        [head.as_bytes(), body].concat()
    }

    fn local() -> OutboundPolicy {
        OutboundPolicy {
            allow: vec!["127.0.0.0/8".parse().expect("a network")],
            ..OutboundPolicy::default()
        }
    }

    #[test]
    fn the_file_comes_as_it_is_and_nothing_is_told_of_us() {
        let full = vec![7; MAX_BYTES];
        let (url, asked) = answering(response("200 OK", &full));
        assert_eq!(fetch(&url, &local()), Ok(full));
        let asked = asked.join().expect("asked").to_lowercase();
        assert!(asked.starts_with("get /logo.png http/1.1"));
        for header in ["cookie", "authorization", "referer"] {
            assert!(!asked.contains(header), "{header}");
        }
    }

    #[test]
    fn what_is_no_file_is_told_apart() {
        for (answer, words) in [
            (response("200 OK", &vec![7; MAX_BYTES + 1]), "512 KB"),
            (response("404 Not Found", b"no"), "HTTP 404"),
            (response("302 Found\r\nlocation: /altrove", b""), "rimanda"),
            (b"ciao".to_vec(), "caricare il file"),
        ] {
            let (url, asked) = answering(answer);
            let failure = fetch(&url, &local()).expect_err("no file");
            assert!(failure.message.contains(words), "{}", failure.message);
            asked.join().expect("asked");
        }
    }

    #[test]
    fn a_private_address_is_not_called() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        listener.set_nonblocking(true).expect("it waits for nobody");
        let url = format!("http://{}/", listener.local_addr().expect("a port"));
        let failure = fetch(&url, &OutboundPolicy::default()).expect_err("refused");
        assert!(failure.message.contains("rete privata"));
        assert!(listener.accept().is_err(), "nobody came");
    }

    #[test]
    fn a_server_that_says_nothing_is_given_up() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let url = format!("http://{}/", listener.local_addr().expect("a port"));
        let hasty = OutboundPolicy {
            call_limit: Duration::from_millis(50),
            ..local()
        };
        let failure = fetch(&url, &hasty).expect_err("no answer");
        assert!(failure.message.contains("in tempo"), "{}", failure.message);
    }
}
