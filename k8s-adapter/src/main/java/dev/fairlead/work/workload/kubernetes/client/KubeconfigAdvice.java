package dev.fairlead.work.workload.kubernetes.client;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Explains why a field of a kubeconfig is refused, and the alternative. */
final class KubeconfigAdvice {
  static final String TOKEN =
      "Create a token: kubectl -n fairlead-system create token fairlead --duration=8760h. Put it in"
          + " users[].user.token.";
  private static final String INLINE =
      "Inline the file: kubectl config view --minify --flatten --raw.";
  private static final String RUNS =
      "names a program that would run on this machine, which is refused";
  private static final String OPENS =
      "names a file that would be opened on this machine, which is refused";

  private static final Map<String, String[]> KNOWN =
      Map.ofEntries(
          Map.entry("exec", new String[] {RUNS, TOKEN}),
          Map.entry("auth-provider", new String[] {RUNS, TOKEN}),
          Map.entry("tokenFile", new String[] {OPENS, TOKEN}),
          Map.entry("client-certificate", new String[] {OPENS, INLINE}),
          Map.entry("client-key", new String[] {OPENS, INLINE}),
          Map.entry("certificate-authority", new String[] {OPENS, INLINE}),
          Map.entry("username", new String[] {"is basic authentication, which is refused", TOKEN}),
          Map.entry("password", new String[] {"is basic authentication, which is refused", TOKEN}),
          Map.entry("as", impersonation()),
          Map.entry("as-uid", impersonation()),
          Map.entry("as-groups", impersonation()),
          Map.entry("as-user-extra", impersonation()),
          Map.entry(
              "insecure-skip-tls-verify",
              new String[] {
                "would accept any server, which is refused",
                "Give certificate-authority-data of the API server."
              }),
          Map.entry(
              "proxy-url",
              new String[] {
                "redirects the connection, which is refused",
                "Use an address that is reachable directly."
              }),
          Map.entry(
              "tls-server-name",
              new String[] {
                "disables or changes certificate verification, which is refused",
                "Use the name in the certificate as the host of server."
              }));

  private KubeconfigAdvice() {}

  private static String[] impersonation() {
    return new String[] {
      "impersonates another user, which is refused", "Use credentials of the identity for Fairlead."
    };
  }

  static String refusal(String field) {
    String[] known = KNOWN.get(field);
    return known == null ? "is not a supported field" : known[0];
  }

  static @Nullable String instead(String field) {
    String[] known = KNOWN.get(field);
    return known == null ? "Remove it." : known[1];
  }
}
