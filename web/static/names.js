// Two buttons of the theme have a name that lacks the words that they show, so that a voice cannot press them; and the
// column with the book's name is no landmark.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  for (const button of document.querySelectorAll(".search-button-field")) button.removeAttribute("aria-label");
  for (const button of document.querySelectorAll(".theme-switch-button")) {
    button.setAttribute("aria-label", "Color mode: Light, Dark, System Settings");
  }
  const column = document.querySelector(".bd-sidebar-primary");
  column?.setAttribute("role", "complementary");
  column?.setAttribute("aria-label", "The book");
});
