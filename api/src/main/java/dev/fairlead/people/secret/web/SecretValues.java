package dev.fairlead.people.secret.web;

import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.people.secret.ProjectSecret;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Reads the values of a secret by key. No problem repeats a value. */
final class SecretValues extends FieldReader<SortedMap<String, Secret>> {
  private static final Pattern KEY = Pattern.compile("[-._a-zA-Z0-9]+");

  @Override
  protected Optional<SortedMap<String, Secret>> read(Value data) {
    SortedMap<String, Secret> values = new TreeMap<>();
    long[] size = {0};
    data.entries(ProjectSecret.MOST_KEYS)
        .forEach((key, given) ->
            value(key, given)
                .ifPresent(text -> {
                  values.put(key, new Secret(text));
                  size[0] += bytes(text);
                }));
    if (size[0] > ProjectSecret.LARGEST) {
      data.refuse(
          ProblemCode.LIMIT_EXCEEDED,
          "The values have %d bytes, but at most %d are allowed"
              .formatted(size[0], ProjectSecret.LARGEST),
          null);
    }
    if (values.isEmpty() && data.problems().none()) {
      data.refuse(ProblemCode.INVALID_FIELD, "Give at least one key", null);
    }
    return Optional.of(values);
  }

  /** A refused value is reported only by its key and size. */
  private static Optional<String> value(String key, Value given) {
    if (!KEY.matcher(key).matches() || key.length() > ProjectSecret.LONGEST_KEY) {
      given.refuse(
          ProblemCode.INVALID_FIELD,
          "A key is 1 to %d letters, digits, dots, hyphens and underscores"
              .formatted(ProjectSecret.LONGEST_KEY),
          null);
      return Optional.empty();
    }
    if (key.startsWith("..") || key.equals(".")) {
      given.refuse(
          ProblemCode.INVALID_FIELD,
          "A key is a file name: it must not be . or begin with ..",
          null);
      return Optional.empty();
    }
    Optional<String> text = given.secret(ProjectSecret.LARGEST_VALUE);
    if (text.filter(t -> bytes(t) > ProjectSecret.LARGEST_VALUE).isPresent()) {
      given.refuse(
          ProblemCode.LIMIT_EXCEEDED,
          "The value has %d bytes, but at most %d are allowed."
              .formatted(bytes(text.get()), ProjectSecret.LARGEST_VALUE),
          null);
      return Optional.empty();
    }
    return text;
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
