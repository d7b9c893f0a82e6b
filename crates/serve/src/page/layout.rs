//! The layout of every page: the head, the navigation, and one place for the content.

use maud::{DOCTYPE, Markup, html};

/// A place in the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NavigationItem {
    /// The newest events.
    Events,
    /// The questions that wait for the person.
    Inbox,
    /// What was kept before actions that destroy.
    Snapshots,
    /// Plots.
    Statistics,
    /// None of them: a page that another one leads to, or that says what is wrong.
    Nowhere,
}

/// The navigation: the place, its words and its path.
const NAVIGATION: &[(NavigationItem, &str, &str)] = &[
    (NavigationItem::Events, "Events", "/"),
    (NavigationItem::Inbox, "Inbox", "/inbox"),
    (NavigationItem::Snapshots, "Snapshots", "/snapshots"),
    (NavigationItem::Statistics, "Statistics", "/statistics"),
];

/// Lays out a page.
pub(crate) fn layout(title: &str, place: NavigationItem, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · Anyhook" }
                link rel="icon" href="/assets/icon.svg";
                link rel="stylesheet" href="/assets/style.css";
            }
            body {
                a.skip href="#main" { "Go to the content" }
                header {
                    nav aria-label="Pages" {
                        @for (its, words, path) in NAVIGATION {
                            a href=(path) aria-current=[(*its == place).then_some("page")] { (words) }
                        }
                    }
                }
                main id="main" tabindex="-1" {
                    h1 { (title) }
                    (body)
                }
            }
        }
    }
}
