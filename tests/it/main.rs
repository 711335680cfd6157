//! The integration and fault tests: the real program, reached as its users reach it. One binary; modules mirror the
//! routes, then come the properties that hold across them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, its helpers too"
)]

#[macro_use]
mod support;

mod acme;
mod agenda;
mod alarms;
mod allow_list;
mod analytics;
mod assignment;
mod at_rest;
mod attachments;
mod backup;
mod backup_damage;
mod backup_files;
mod backup_json;
mod backup_kill;
mod backup_restore;
mod backup_schedule;
mod budget;
mod bulk;
mod callouts;
mod care;
mod chat;
mod chat_turns;
mod clean_copies;
mod cli;
mod comments;
mod contract;
mod conversation_end;
mod dead_ends;
mod deliveries;
mod deliveries_kill;
mod deliveries_outage;
mod deliveries_put_away;
mod deliveries_settings;
mod demo;
mod departments;
mod device;
mod disk_full;
mod doctor;
mod doctor_outside;
mod entry;
mod erasure;
mod erasure_restore;
mod expiry;
mod export;
mod file_room;
mod files_endure;
mod files_kept;
mod fixtures_1_0;
mod forged;
mod fresh_clone;
mod guides;
mod hostile;
mod imports;
mod kill;
mod labels;
mod litestream;
mod log_chain;
mod login_limit;
mod logo;
mod logs;
mod mail;
mod mail_letters;
mod mail_tokens;
mod metrics;
mod missing;
mod notices;
mod onion;
mod other_sides;
mod packaging;
mod pages;
mod people;
mod people_kill;
mod postfix;
mod powercut;
mod prompts;
mod proxy;
mod real;
mod receipts;
mod recovery;
mod rekey;
mod related;
mod replica;
mod report_edits;
mod report_filters;
mod report_list;
mod reports;
mod reset_password;
mod return_page;
mod roles;
mod routing;
mod routing_memory;
mod sealed;
mod search;
mod secrets;
mod security_table;
mod sender_aside;
mod session;
mod settings;
mod setup;
mod siege;
mod siege_line;
mod sockets;
mod spoken;
mod status;
mod status_command;
mod stories;
mod supervisor;
mod telemetry;
mod tls;
mod todo;
mod urgency;
mod views;
mod webhook;
mod without_ipv6;
mod without_script;
