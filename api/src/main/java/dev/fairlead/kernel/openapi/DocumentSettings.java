package dev.fairlead.kernel.openapi;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How the document lets people sign in.
 *
 * @param issuer empty for none
 */
@ConfigurationProperties("fairlead.oidc")
record DocumentSettings(@DefaultValue("") String issuer, @DefaultValue Clients clients) {
  /** {@code ui} is the client that Swagger UI signs in by; empty for none. */
  record Clients(@DefaultValue("") String ui) {}

  boolean signsIn() {
    return !issuer.isEmpty() && !clients.ui().isEmpty();
  }
}
