//! Tests of the mailer with a server that accepts, delays, rejects and bounces mail.

use std::time::Duration;

use shruti_mail::{Counts, Mail, MailError, MailServerErrorKind, Mailer, RetryPlan, Sender};
use shruti_testkit::{SmtpReaction, SmtpServer};
use tokio::time::Instant;

const TO: &str = "asha@example.org";

fn sender(url: &str) -> Sender {
    Sender { server: url.parse().unwrap(), password: None, from: "Shruti <shruti@example.org>".to_owned() }
}

/// Returns a mailer with three attempts and short pauses.
fn mailer(server: &SmtpServer) -> Mailer {
    let plan = RetryPlan {
        attempt: Duration::from_secs(20),
        pauses: vec![Duration::ZERO, Duration::from_millis(1)],
    };
    Mailer::new(&sender(&server.url()), plan).unwrap()
}

fn mail(subject: &str) -> Mail {
    Mail {
        to: TO.to_owned(), subject: subject.to_owned(), text: "नमस्ते\n.\nA line.\n".to_owned()
    }
}

/// Waits until the counters have these values.
async fn counted(mailer: &Mailer, wanted: Counts) {
    let reached = async {
        while mailer.counts() != wanted {
            tokio::task::yield_now().await;
        }
    };
    let in_time = tokio::time::timeout(Duration::from_secs(20), reached).await;
    assert!(in_time.is_ok(), "{:?}, not {wanted:?}", mailer.counts());
}

#[tokio::test]
async fn a_mail_is_delivered() {
    let server = SmtpServer::start([]).await;
    let mailer = mailer(&server);
    mailer.send(mail("A link"));
    let received = server.next_mail().await;
    assert_eq!(received.to, TO);
    for line in [
        "From: Shruti <shruti@example.org>",
        "To: asha@example.org",
        "Subject: A link",
        "Auto-Submitted: auto-generated",
    ] {
        assert!(
            received.text.lines().any(|one| one.trim_matches('"') == line || one.replace('"', "") == line),
            "{line}: {}",
            received.text
        );
    }
    assert!(received.text.contains("Message-ID: <") && received.text.contains("Date: "), "{}", received.text);
    counted(&mailer, Counts { sent: 1, ..Counts::default() }).await;
}

#[tokio::test]
async fn temporary_failures_and_broken_connections_are_retried() {
    let server = SmtpServer::start([SmtpReaction::RefuseForNow, SmtpReaction::HangUp]).await;
    let mailer = mailer(&server);
    mailer.send(mail("A link"));
    assert_eq!(server.next_mail().await.to, TO);
    counted(&mailer, Counts { sent: 1, retried: 2, ..Counts::default() }).await;
}

#[tokio::test]
async fn retries_are_limited() {
    let server = SmtpServer::start([SmtpReaction::RefuseForNow; 9]).await;
    let mailer = mailer(&server);
    mailer.send(mail("A link"));
    counted(&mailer, Counts { retried: 2, given_up: 1, ..Counts::default() }).await;
    assert!(!server.has_mail().await);
    // the result is the same if nothing listens at the address
    let url = server.url();
    drop(server);
    let plan = RetryPlan { attempt: Duration::from_secs(20), pauses: vec![Duration::ZERO] };
    let nobody = Mailer::new(&sender(&url), plan).unwrap();
    nobody.send(mail("A link"));
    counted(&nobody, Counts { retried: 1, given_up: 1, ..Counts::default() }).await;
}

#[tokio::test]
async fn permanent_failures_are_not_retried() {
    let server = SmtpServer::start([SmtpReaction::Bounce]).await;
    let mailer = mailer(&server);
    mailer.send(mail("A link"));
    counted(&mailer, Counts { refused: 1, ..Counts::default() }).await;
    mailer.send(Mail { to: "no address".to_owned(), ..mail("A link") });
    counted(&mailer, Counts { refused: 2, ..Counts::default() }).await;
    assert!(!server.has_mail().await);
}

#[tokio::test]
async fn a_slow_server_delays_no_caller_and_the_queue_is_bounded() {
    let server = SmtpServer::start([SmtpReaction::Wait; 4]).await;
    let mailer = mailer(&server);
    for number in 0..502 {
        mailer.send(mail(&format!("{number}")));
    }
    assert_eq!(mailer.counts(), Counts { dropped: 2, ..Counts::default() }, "before any response");
    for _ in 0..4 {
        assert_eq!(server.next_connection().await, SmtpReaction::Wait);
    }
    for _ in 0..4 {
        server.continue_waiting();
    }
    counted(&mailer, Counts { sent: 500, dropped: 2, ..Counts::default() }).await;
}

#[tokio::test]
async fn an_unresponsive_server_times_out() {
    let server = SmtpServer::start([SmtpReaction::Wait]).await;
    let plan = RetryPlan { attempt: Duration::from_millis(50), pauses: vec![Duration::ZERO; 50] };
    let mailer = Mailer::new(&sender(&server.url()), plan).unwrap();
    mailer.send(mail("A link"));
    assert_eq!(server.next_mail().await.to, TO);
    assert!(mailer.counts().retried > 0);
}

const LONG: Duration = Duration::from_secs(20);

#[tokio::test]
async fn on_shutdown_waiting_mails_are_tried_once_and_others_are_dropped() {
    let plan = RetryPlan { attempt: LONG, pauses: vec![Duration::from_hours(1); 3] };
    let again = SmtpServer::start([SmtpReaction::RefuseForNow]).await;
    let mailer = Mailer::new(&sender(&again.url()), plan.clone()).unwrap();
    mailer.send(mail("A link"));
    counted(&mailer, Counts { retried: 1, ..Counts::default() }).await;
    assert_eq!(mailer.finish(Instant::now() + LONG).await, 0);
    assert_eq!(mailer.counts(), Counts { retried: 1, sent: 1, ..Counts::default() });

    let refusing = SmtpServer::start([SmtpReaction::RefuseForNow; 3]).await;
    let mailer = Mailer::new(&sender(&refusing.url()), plan.clone()).unwrap();
    mailer.send(mail("A link"));
    counted(&mailer, Counts { retried: 1, ..Counts::default() }).await;
    assert_eq!(mailer.finish(Instant::now() + LONG).await, 0);
    assert_eq!(
        mailer.counts(),
        Counts { retried: 1, given_up: 1, ..Counts::default() },
        "one attempt, not two"
    );

    let silent = SmtpServer::start([SmtpReaction::Wait, SmtpReaction::Wait]).await;
    let mailer = Mailer::new(&sender(&silent.url()), plan).unwrap();
    for subject in ["A link", "Another"] {
        mailer.send(mail(subject));
        assert_eq!(silent.next_connection().await, SmtpReaction::Wait);
    }
    assert_eq!(mailer.finish(Instant::now()).await, 2);
    assert_eq!(mailer.counts(), Counts { dropped: 2, ..Counts::default() });
}

#[tokio::test]
async fn a_server_is_checked_without_sending_mail() {
    let server =
        SmtpServer::start([SmtpReaction::RejectConnection, SmtpReaction::SpeakHttp, SmtpReaction::Wait])
            .await;
    let plain = Mailer::new(&sender(&server.url()), RetryPlan::default()).unwrap();
    let found = async |mailer: &Mailer, within| mailer.check(within).await.map_err(|trouble| trouble.kind);
    assert_eq!(found(&plain, LONG).await, Err(MailServerErrorKind::Rejected));
    assert_eq!(found(&plain, LONG).await, Err(MailServerErrorKind::NotSmtp));
    assert_eq!(found(&plain, Duration::from_millis(50)).await, Err(MailServerErrorKind::Silent));
    assert_eq!(found(&plain, LONG).await, Ok(()));

    let wrapped = sender(&server.url().replace("smtp://", "smtps://"));
    let wrapped = Mailer::new(&wrapped, RetryPlan::default()).unwrap();
    assert_eq!(found(&wrapped, LONG).await, Err(MailServerErrorKind::Encryption));
    let with_user = sender(&server.url().replace("smtp://", "smtp://shruti@"));
    let with_user = Sender { password: Some("secret".to_owned()), ..with_user };
    let with_user = Mailer::new(&with_user, RetryPlan::default()).unwrap();
    assert_eq!(found(&with_user, LONG).await, Err(MailServerErrorKind::NoStartTls));
    assert!(!server.has_mail().await);
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nobody = Mailer::new(&sender(&format!("smtp://{free}")), RetryPlan::default()).unwrap();
    assert_eq!(found(&nobody, LONG).await, Err(MailServerErrorKind::Unreachable));
}

#[test]
fn invalid_settings_get_specific_errors() {
    let plan = RetryPlan::default();
    let tried = |sender: Sender| Mailer::new(&sender, plan.clone()).map(drop);
    let good = sender("smtps://shruti@smtp.example.org");
    assert!(matches!(tried(good.clone()), Err(MailError::Credentials)));
    let with_password = Sender { password: Some("secret".to_owned()), ..good };
    assert!(tried(with_password.clone()).is_ok());
    let without_user =
        Sender { server: "smtps://smtp.example.org".parse().unwrap(), ..with_password.clone() };
    assert!(matches!(tried(without_user), Err(MailError::Credentials)));
    assert!(matches!(
        tried(Sender { from: "nobody".to_owned(), ..with_password.clone() }),
        Err(MailError::From)
    ));
    assert!(!format!("{with_password:?}").contains("secret"));
}
