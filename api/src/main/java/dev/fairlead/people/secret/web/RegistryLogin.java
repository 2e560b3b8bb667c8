package dev.fairlead.people.secret.web;

import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.people.secret.ProjectSecret;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Validates a registry login for the kubelet: {@code kubernetes.io/dockerconfigjson}
 * (https://kubernetes.io/docs/concepts/configuration/secret/#docker-config-secrets). An invalid one
 * would stop every launch of the project.
 */
final class RegistryLogin {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private RegistryLogin() {}

  /** Describes the problem without quoting a value. Empty if they are valid. */
  static Optional<String> trouble(SortedMap<String, Secret> values) {
    Secret login = values.get(ProjectSecret.LOGIN_KEY);
    if (login == null || values.size() > 1) {
      return Optional.of(
          ("%s is the registry login of the project's pods, with the single key %s: fairlead"
                  + " secrets set %s --from-file %s=config.json")
              .formatted(
                  ProjectSecret.REGISTRY_LOGIN,
                  ProjectSecret.LOGIN_KEY,
                  ProjectSecret.REGISTRY_LOGIN,
                  ProjectSecret.LOGIN_KEY));
    }
    int bytes = login.reveal().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > ProjectSecret.LARGEST_LOGIN) {
      return Optional.of(
          "The login has %d bytes, but at most %d are allowed."
              .formatted(bytes, ProjectSecret.LARGEST_LOGIN));
    }
    return unusable(auths(login));
  }

  private static JsonNode auths(Secret login) {
    try {
      return JSON.readTree(login.reveal()).path("auths");
    } catch (JacksonException unreadable) {
      return JSON.missingNode();
    }
  }

  private static Optional<String> unusable(JsonNode auths) {
    if (!auths.isObject() || auths.isEmpty()) {
      return Optional.of(
          "The value is not a config.json of docker: a JSON object whose auths has a login for each"
              + " registry.");
    }
    return auths.properties().stream()
        .filter(registry -> !usable(registry.getValue()))
        .map(Map.Entry::getKey)
        .findFirst()
        .map(registry ->
            ("Registry \"%s\" has neither auth (user:password in Base64) nor username and password, because docker uses a "
                    + "credential store. Sign in with docker without a credential store, and use its config.json.")
                .formatted(registry));
  }

  /** A kubelet refuses all entries if it cannot decode a single {@code auth}. */
  private static boolean usable(JsonNode registry) {
    return registry.has("auth")
        ? decodes(registry.path("auth").stringValue(""))
        : said(registry, "username") && said(registry, "password");
  }

  private static boolean decodes(String auth) {
    try {
      byte[] decoded = Base64.getDecoder().decode(auth);
      return new String(decoded, StandardCharsets.UTF_8).indexOf(':') > 0;
    } catch (IllegalArgumentException notBase64) {
      return false;
    }
  }

  private static boolean said(JsonNode registry, String field) {
    return !registry.path(field).stringValue("").isEmpty();
  }
}
