package dev.fairlead.work.workload.kubernetes.client;

import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.cluster.connection.KubeconfigReader;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.SafeYaml;
import dev.fairlead.kernel.egress.ServerTls;
import dev.fairlead.kernel.egress.ServerUrl;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads a kubeconfig without trusting it. It follows the current context to its cluster and user,
 * and reads only an allow-list of inline fields of these. Everything that would run a program, open
 * a file, or redirect the connection is refused with the reason and an alternative. Other contexts
 * are ignored.
 */
public final class SafeKubeconfigReader implements KubeconfigReader {
  private static final Set<String> TOP =
      Set.of(
          "apiVersion",
          "kind",
          "preferences",
          "clusters",
          "users",
          "contexts",
          "current-context",
          "extensions");
  private static final Set<String> CONTEXT = Set.of("cluster", "user", "namespace", "extensions");
  private static final Set<String> CLUSTER =
      Set.of("server", "certificate-authority-data", "disable-compression", "extensions");
  private static final Set<String> USER =
      Set.of("token", "client-certificate-data", "client-key-data", "extensions");

  private static final Map<String, String> FIELDS =
      Map.of(
          "server", "server",
          "certificate-authority-data", "caData",
          "token", "token",
          "client-certificate-data", "clientCertificateData",
          "client-key-data", "clientKeyData");

  private final EgressPolicy egress;

  public SafeKubeconfigReader(EgressPolicy egress) {
    this.egress = egress;
  }

  @Override
  public Answer read(String kubeconfig) {
    try {
      return new Reading(SafeYaml.map(kubeconfig)).answer();
    } catch (SafeYaml.Unreadable e) {
      return new Answer.Refused(
          List.of(
              new FieldProblem(
                  "/kubeconfig",
                  ProblemCode.UNSAFE_KUBECONFIG,
                  "The kubeconfig cannot be read: " + e.getMessage() + ".",
                  "kubectl config view --minify --flatten --raw")));
    }
  }

  @Override
  public Answer check(Connection.Kubernetes given) {
    Map<String, Object> user = new TreeMap<>();
    if (given.token() != null) {
      user.put("token", given.token().reveal());
    }
    if (given.clientCertificateData() != null) {
      user.put("client-certificate-data", given.clientCertificateData());
    }
    if (given.clientKeyData() != null) {
      user.put("client-key-data", given.clientKeyData().reveal());
    }
    Map<String, Object> cluster =
        Map.of("server", given.server(), "certificate-authority-data", given.caData());
    Map<String, Object> context = Map.of("cluster", "given", "user", "given");
    Map<String, Object> top =
        Map.of(
            "current-context", "given",
            "contexts", List.of(Map.of("name", "given", "context", context)),
            "clusters", List.of(Map.of("name", "given", "cluster", cluster)),
            "users", List.of(Map.of("name", "given", "user", user)));
    return switch (new Reading(top).answer()) {
      case Answer.Accepted accepted -> accepted;
      case Answer.Refused refused ->
          new Answer.Refused(
              refused.problems().stream().map(SafeKubeconfigReader::asField).toList());
    };
  }

  /** Returns the same problem at the field of the structured connection. */
  private static FieldProblem asField(FieldProblem inKubeconfig) {
    String last = inKubeconfig.pointer().substring(inKubeconfig.pointer().lastIndexOf('/') + 1);
    String field = FIELDS.getOrDefault(last, "");
    return new FieldProblem(
        field.isEmpty() ? "/connection" : "/connection/" + field,
        inKubeconfig.code(),
        inKubeconfig.detail(),
        inKubeconfig.suggestion());
  }

  /** The state of reading one text. */
  private final class Reading {
    private final Map<?, ?> top;
    private final List<FieldProblem> problems = new ArrayList<>();

    Reading(Map<?, ?> top) {
      this.top = top;
    }

    Answer answer() {
      onlyKnown("", top, TOP);
      Part context = entry("contexts", "context", text(new Part("", top), "current-context"));
      Connection.Kubernetes connection = context == null ? null : connection(context);
      return connection == null || !problems.isEmpty()
          ? new Answer.Refused(problems)
          : new Answer.Accepted(connection);
    }

    private Connection.@Nullable Kubernetes connection(Part context) {
      onlyKnown(context.pointer(), context.map(), CONTEXT);
      Part cluster = entry("clusters", "cluster", text(context, "cluster"));
      Part user = entry("users", "user", text(context, "user"));
      if (cluster == null || user == null) {
        return null;
      }
      String server = server(cluster);
      String ca = text(cluster, "certificate-authority-data");
      if (ca != null && !ServerTls.readable(ca)) {
        problem(
            cluster.at("certificate-authority-data"), "is not base64 of PEM certificates", null);
      }
      onlyKnown(user.pointer(), user.map(), USER);
      Credentials credentials = credentials(user);
      return server == null || ca == null || credentials == null
          ? null
          : new Connection.Kubernetes(
              server, ca, credentials.token(), credentials.certificate(), credentials.key());
    }

    private @Nullable String server(Part cluster) {
      if ("false".equals(cluster.map().get("insecure-skip-tls-verify"))) {
        cluster = cluster.without("insecure-skip-tls-verify");
      }
      onlyKnown(cluster.pointer(), cluster.map(), CLUSTER);
      String server = text(cluster, "server");
      if (server == null) {
        return null;
      }
      try {
        ServerUrl url = ServerUrl.parse(server);
        egress.resolve(url.host());
        return server;
      } catch (ServerUrl.Refused e) {
        problem(cluster.at("server"), e.getMessage(), "https://<host>:6443");
      } catch (EgressPolicy.Refused e) {
        problems.add(
            new FieldProblem(
                "/kubeconfig" + cluster.at("server"),
                ProblemCode.UNSAFE_ADDRESS,
                "Fairlead does not connect there: " + e.getMessage() + ".",
                null));
      }
      return null;
    }

    private @Nullable Credentials credentials(Part user) {
      boolean token = user.map().containsKey("token");
      boolean certificate =
          user.map().containsKey("client-certificate-data")
              || user.map().containsKey("client-key-data");
      if (token == certificate) {
        problem(
            user.pointer(),
            "needs either token, or client-certificate-data with client-key-data",
            KubeconfigAdvice.TOKEN);
        return null;
      }
      return token ? token(user) : certificate(user);
    }

    private @Nullable Credentials token(Part user) {
      String token = text(user, "token");
      if (token == null) {
        return null;
      }
      if (!token.matches("[!-~]{1,16384}")) { // it becomes a header, without line breaks
        problem(user.at("token"), "holds characters that no token has", KubeconfigAdvice.TOKEN);
        return null;
      }
      return new Credentials(new Secret(token), null, null);
    }

    private @Nullable Credentials certificate(Part user) {
      String certificate = text(user, "client-certificate-data");
      String key = text(user, "client-key-data");
      if (certificate == null || key == null) {
        return null;
      }
      if (!ClusterTls.readsKeyPair(certificate, key)) {
        problem(
            user.at("client-certificate-data"),
            "and client-key-data are not base64 of a PEM certificate and its unencrypted PEM key",
            null);
        return null;
      }
      return new Credentials(null, certificate, new Secret(key));
    }

    /** Returns the map under {@code inner} of the list's entry with that name. */
    private @Nullable Part entry(String list, String inner, @Nullable String name) {
      if (name == null) {
        return null;
      }
      if (top.get(list) instanceof List<?> entries) {
        for (int i = 0; i < entries.size(); i++) {
          if (entries.get(i) instanceof Map<?, ?> entry
              && name.equals(entry.get("name"))
              && entry.get(inner) instanceof Map<?, ?> map) {
            return new Part("/" + list + "/" + i + "/" + inner, map);
          }
        }
      }
      problem("/" + list, "has no entry named \"" + shown(name) + "\"", null);
      return null;
    }

    private @Nullable String text(Part part, String key) {
      if (part.map().get(key) instanceof String text && !text.isEmpty()) {
        return text;
      }
      problem(part.at(key), "is missing or not a string", null);
      return null;
    }

    private void onlyKnown(String pointer, Map<?, ?> map, Set<String> known) {
      for (Object key : map.keySet()) {
        if (!(key instanceof String name) || !known.contains(name)) {
          String field = shown(String.valueOf(key));
          problem(
              pointer + "/" + field.replace("~", "~0").replace("/", "~1"),
              KubeconfigAdvice.refusal(field),
              KubeconfigAdvice.instead(field));
        }
      }
    }

    private void problem(String pointer, @Nullable String detail, @Nullable String instead) {
      String field =
          pointer.isEmpty() ? "kubeconfig" : pointer.substring(pointer.lastIndexOf('/') + 1);
      problems.add(
          new FieldProblem(
              "/kubeconfig" + pointer,
              ProblemCode.UNSAFE_KUBECONFIG,
              field + " " + detail + ".",
              instead));
    }
  }

  private record Credentials(
      @Nullable Secret token, @Nullable String certificate, @Nullable Secret key) {}

  /** A mapping and its position. */
  private record Part(String pointer, Map<?, ?> map) {
    String at(String key) {
      return pointer + "/" + key;
    }

    Part without(String key) {
      Map<Object, Object> rest = new java.util.LinkedHashMap<>(map);
      rest.remove(key);
      return new Part(pointer, rest);
    }
  }

  /**
   * Shortens a name from the text and replaces everything that a terminal or log could interpret.
   */
  private static String shown(String name) {
    String plain = name.replaceAll("[^ -~]", "?");
    return plain.length() > 60 ? plain.substring(0, 60) + "..." : plain;
  }
}
