package dev.fairlead.work.serving;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Address of a model.
 *
 * @param scheme one of {@link #SCHEMES}
 * @param rest text after {@code scheme://}
 */
public record ModelUri(String scheme, String rest) {
  /** Directory at which a volume with the model is mounted. */
  public static final String MOUNT = "/models";

  private static final String FILES = "(/[A-Za-z0-9_][A-Za-z0-9_.=+-]*)*";
  private static final String VOLUME = "volume";
  private static final String HUB = "hf";
  private static final String IMAGE = "oci";

  private static final SortedMap<String, Pattern> FORMS =
      new TreeMap<>(
          Map.of(
              HUB,
              Pattern.compile(
                  "[A-Za-z0-9][A-Za-z0-9_.-]{0,95}/[A-Za-z0-9][A-Za-z0-9_.-]{0,95}(:[A-Za-z0-9_.-]{1,64})?"),
              "https",
              Pattern.compile(
                  "[A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]{1,5})?/[A-Za-z0-9._~%!$&'()*+,;=:@/?-]+"),
              IMAGE,
              Pattern.compile(
                  "[a-z0-9][a-z0-9.-]*(:[0-9]{1,5})?(/[a-z0-9]+([._-]+[a-z0-9]+)*)+(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?"),
              "s3",
              Pattern.compile("[a-z0-9][a-z0-9.-]{1,62}" + FILES),
              VOLUME,
              Pattern.compile("[a-z0-9]([a-z0-9-]*[a-z0-9])?" + FILES)));

  private static final SortedMap<String, String> EXAMPLES =
      new TreeMap<>(
          Map.of(
              HUB,
              "hf://Qwen/Qwen3-8B",
              "https",
              "https://models.example.com/chat.gguf",
              IMAGE,
              "oci://registry.example.com/models/chat:1",
              "s3",
              "s3://models/chat",
              VOLUME,
              "volume://models/chat"));

  private static final Pattern URI = Pattern.compile("([a-z0-9]+)://(.*)");

  /** Schemes in the order of their names. */
  public static final List<String> SCHEMES = List.copyOf(FORMS.keySet());

  /** The address, or empty for a text of another form. */
  public static Optional<ModelUri> parse(String text) {
    Matcher uri = URI.matcher(text);
    if (!uri.matches() || !FORMS.containsKey(uri.group(1))) {
      return Optional.empty();
    }
    return FORMS.getOrDefault(uri.group(1), URI).matcher(uri.group(2)).matches()
        ? Optional.of(new ModelUri(uri.group(1), uri.group(2)))
        : Optional.empty();
  }

  /** An address with this scheme. */
  public static String example(String scheme) {
    return EXAMPLES.getOrDefault(scheme, scheme);
  }

  /** Name of the volume with the model, empty without one. */
  Optional<String> volume() {
    return scheme.equals(VOLUME) ? Optional.of(rest.split("/", 2)[0]) : Optional.empty();
  }

  /** The image with the model, which a pod mounts at {@link #MOUNT}, empty without one. */
  public Optional<String> image() {
    return scheme.equals(IMAGE) ? Optional.of(rest) : Optional.empty();
  }

  /** The model as a server reads it: a path, a repository of the hub, or a URL. */
  String inServer() {
    if (scheme.equals(IMAGE)) {
      return MOUNT;
    }
    if (scheme.equals(VOLUME)) {
      int slash = rest.indexOf('/');
      return slash < 0 ? MOUNT : MOUNT + rest.substring(slash);
    }
    return scheme.equals(HUB) ? rest : this.toString();
  }

  @Override
  public String toString() {
    return scheme + "://" + rest;
  }
}
