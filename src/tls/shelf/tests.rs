//! The shelf of certificates: what lies there, for whom, and under which names.

use std::os::unix::fs::PermissionsExt;

use super::*;

fn request(domains: &[&str], directory: &str, email: Option<&str>) -> Request {
    Request {
        domains: domains.iter().map(|name| (*name).to_owned()).collect(),
        directory: directory.to_owned(),
        root: None,
        email: email.map(str::to_owned),
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("there").permissions().mode() & 0o777
}

#[tokio::test]
async fn what_is_stored_comes_back_whole_and_for_its_owner_alone() {
    let data = tempfile::tempdir().expect("a folder");
    let request = request(&["uno.example"], "https://a.example/dir", None);
    let shelf = Shelf::open(data.path(), &request).expect("a shelf");
    assert!(shelf.certificate().expect("readable").is_none());
    assert!(
        shelf
            .load_account(&[], "")
            .await
            .expect("readable")
            .is_none()
    );
    // As a crash may have left it.
    fs::write(shelf.certificate.with_extension("nuovo"), "half").expect("written");
    for pem in [b"first".as_slice(), b"2nd"] {
        shelf.store_cert(&[], "", pem).await.expect("stored");
        let found = shelf.certificate().expect("readable").expect("there");
        assert_eq!(found.as_slice(), pem);
    }
    shelf.store_account(&[], "", b"key").await.expect("stored");
    let again = Shelf::open(data.path(), &request).expect("the same shelf");
    assert_eq!(
        again
            .load_account(&[], "")
            .await
            .expect("readable")
            .as_deref(),
        Some(&b"key"[..])
    );
    let folder = data.path().join("acme");
    assert_eq!(mode(&folder), 0o700);
    let files: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("readable")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    assert_eq!(files.len(), 2, "{files:?}");
    assert!(files.iter().all(|file| mode(file) == 0o600), "{files:?}");
}

#[tokio::test]
async fn what_was_obtained_is_taken_once_even_when_it_cannot_be_stored() {
    let data = tempfile::tempdir().expect("a folder");
    let request = request(&["uno.example"], "https://a.example/dir", None);
    let shelf = Shelf::open(data.path(), &request).expect("a shelf");
    fs::remove_dir(data.path().join("acme")).expect("removed");
    assert!(shelf.store_cert(&[], "", b"pem").await.is_err());
    assert_eq!(
        shelf.take_obtained().as_deref().map(Vec::as_slice),
        Some(&b"pem"[..])
    );
    assert!(shelf.take_obtained().is_none());
}

#[test]
fn other_names_and_other_authorities_have_other_files() {
    let data = Path::new("/x");
    let of = |domains: &[&str], directory: &str, email| {
        let shelf = Shelf::of(data, &request(domains, directory, email));
        (shelf.certificate, shelf.account)
    };
    let first = of(&["a", "b"], "https://x", None);
    assert_eq!(first, of(&["a", "b"], "https://x", None));
    assert_ne!(first.0, of(&["ab"], "https://x", None).0);
    assert_ne!(first.0, of(&["a", "b"], "https://y", None).0);
    assert_ne!(first.1, of(&["a", "b"], "https://y", None).1);
    assert_eq!(first.1, of(&["a"], "https://x", None).1);
    assert_ne!(first.1, of(&["a", "b"], "https://x", Some("m@x.example")).1);
}
