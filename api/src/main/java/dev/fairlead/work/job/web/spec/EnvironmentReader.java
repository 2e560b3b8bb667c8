package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.people.secret.ProjectSecret;
import dev.fairlead.work.launcher.Launcher;
import dev.fairlead.work.spec.RoleSpec.SecretKey;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Reads environment variables: names that a shell can use and Fairlead does not reserve, 64 KiB in
 * all.
 */
final class EnvironmentReader {
  private static final int MOST = 1000;
  private static final int MOST_SECRETS = 100;
  private static final int LARGEST = 64 * 1024;
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,255}");
  private static final Pattern SECRET_KEY = Pattern.compile("[-._a-zA-Z0-9]+");
  private static final Pattern RESERVED =
      Pattern.compile(
          "(NVIDIA_VISIBLE|NVIDIA_DRIVER|CUDA_VISIBLE|FAIRLEAD_|KUBERNETES_).*|LD_PRELOAD|LD_AUDIT");

  private EnvironmentReader() {}

  static SortedMap<String, String> plain(Fields fields, Launcher launcher) {
    SortedMap<String, String> env = new TreeMap<>();
    Optional<Value> given = fields.get("env");
    long size = 0;
    for (Map.Entry<String, Value> e :
        given.map(v -> v.entries(MOST)).orElse(new TreeMap<>()).entrySet()) {
      Optional<String> text =
          e.getValue().anyText(LARGEST).flatMap(value -> OutputReader.whole(e.getValue(), value));
      if (text.isPresent() && named(e.getKey(), e.getValue(), launcher)) {
        env.put(e.getKey(), text.get());
        size += e.getKey().length() + text.get().length();
      }
    }
    if (size > LARGEST) {
      fields.refuse(
          "env",
          ProblemCode.LIMIT_EXCEEDED,
          "env has " + size + " characters; at most " + LARGEST + " are allowed.",
          null);
    }
    return env;
  }

  static SortedMap<String, SecretKey> secret(Fields fields, Launcher launcher) {
    SortedMap<String, SecretKey> env = new TreeMap<>();
    fields
        .get("secretEnv")
        .map(v -> v.entries(MOST_SECRETS))
        .orElse(new TreeMap<>())
        .forEach((name, value) ->
            value
                .fields()
                .flatMap(EnvironmentReader::key)
                .filter(key -> named(name, value, launcher))
                .ifPresent(key -> env.put(name, key)));
    return env;
  }

  private static Optional<SecretKey> key(Fields fields) {
    Optional<String> secret =
        fields
            .required("secret", "the name of a secret of the project.")
            .flatMap(v -> Names.label(v, Names.LONGEST_LABEL));
    Optional<String> key =
        fields
            .required("key", "a key of the secret.")
            .flatMap(v ->
                v.text(ProjectSecret.LONGEST_KEY)
                    .flatMap(text ->
                        SECRET_KEY.matcher(text).matches()
                            ? Optional.of(text)
                            : v.bad("must contain only letters, digits, -, _ and .", null)));
    fields.done();
    return secret.flatMap(s -> key.map(k -> new SecretKey(s, k)));
  }

  private static boolean named(String name, Value value, Launcher launcher) {
    if (!NAME.matcher(name).matches()) {
      value.bad(
          "is not a valid name of an environment variable: use letters, digits and _, not"
              + " beginning with a digit",
          null);
      return false;
    }
    if (RESERVED.matcher(name).matches() || launcher.reserves(name)) {
      value.refuse(
          ProblemCode.RESERVED_NAME,
          name + " is set by the platform, or would interfere with it. Remove it",
          null);
      return false;
    }
    return true;
  }
}
