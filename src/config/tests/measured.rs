//! Where monitoring may be answered: on this machine, and nowhere else.

use super::{Setup, file};

#[test]
fn only_this_machine_is_measured_for() {
    let mut setup =
        file("metrics_listen = '127.0.0.1:1'").variable("SEGNALAZIONI_METRICS_LISTEN", "[::1]:2");
    let listen = |setup: &Setup| {
        setup
            .config()
            .metrics_listen
            .map(|address| address.to_string())
    };
    assert_eq!(listen(&setup).as_deref(), Some("[::1]:2"));
    setup.flags.metrics_listen = Some("[::ffff:127.0.0.9]:3".to_owned());
    assert_eq!(listen(&setup).as_deref(), Some("[::ffff:127.0.0.9]:3"));
    setup.flags.metrics_listen = Some(String::new());
    assert_eq!(listen(&setup), None, "taken back");
    for address in [
        "0.0.0.0:9187",
        "[::]:9187",
        "192.168.1.4:9187",
        "[fe80::1]:9187",
    ] {
        let refusal = file(&format!("metrics_listen = '{address}'")).refusal();
        assert!(
            refusal.contains("«metrics_listen»") && refusal.contains(address),
            "{refusal}"
        );
        assert!(refusal.contains("di questa stessa macchina"), "{refusal}");
    }
}
