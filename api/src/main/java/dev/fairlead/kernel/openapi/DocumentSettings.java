package dev.fairlead.kernel.openapi;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the sign-in of the document.
 *
 * @param issuer address of the issuer, empty if none
 */
@ConfigurationProperties("fairlead.oidc")
record DocumentSettings(@DefaultValue("") String issuer, @DefaultValue Clients clients) {
  /** {@code ui} is the client for the sign-in of Swagger UI, empty if none. */
  record Clients(@DefaultValue("") String ui) {}

  boolean signsIn() {
    return !issuer.isEmpty() && !clients.ui().isEmpty();
  }
}
