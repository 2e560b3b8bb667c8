package dev.fairlead.kernel.resources;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Fields of a YAML file that Fairlead ships or an operator adds, such as a launcher. Every reader
 * throws an {@link IllegalArgumentException} that names the field and the problem.
 */
public final class FileFields {
  /** Names of files, ports and similar things. */
  public static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,30}");

  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,255}");

  /** Variables of the platform, of the GPU runtime and of the dynamic linker. */
  private static final Pattern PLATFORM =
      Pattern.compile("(FAIRLEAD_|KUBERNETES_|NVIDIA_|CUDA_VISIBLE).*|LD_.*|PATH|HOME");

  private static final int MOST_PORT = 65_535;

  private final Map<?, ?> fields;
  private final String kind;

  private FileFields(Map<?, ?> fields, String kind) {
    this.fields = fields;
    this.kind = kind;
  }

  /**
   * Reads the YAML of one file.
   *
   * @param kind noun with its article, such as {@code a launcher}
   * @param known names of all fields that the file may have
   * @throws IllegalArgumentException unless it is a mapping of known fields
   */
  public static FileFields read(String yaml, String kind, Set<String> known) {
    Object document;
    try {
      document = new Load(LoadSettings.builder().build()).loadFromString(yaml);
    } catch (YamlEngineException broken) {
      throw new IllegalArgumentException("is not valid YAML: " + broken.getMessage(), broken);
    }
    if (!(document instanceof Map<?, ?> fields)) {
      throw new IllegalArgumentException("must be a mapping with name and other fields");
    }
    for (Object field : fields.keySet()) {
      if (!known.contains(String.valueOf(field))) {
        throw bad(
            String.valueOf(field),
            "is not a field of %s. The fields are %s"
                .formatted(kind, String.join(", ", new TreeSet<>(known))));
      }
    }
    return new FileFields(fields, kind);
  }

  /** Returns whether the file has the field. */
  public boolean has(String field) {
    return fields.containsKey(field);
  }

  /** Returns whether the field is true. An absent field is false. */
  public boolean flag(String field) {
    return Boolean.TRUE.equals(fields.get(field));
  }

  /** A required text, without space around it. */
  public String text(String field) {
    Object value = fields.get(field);
    if (value instanceof String text && !text.isBlank()) {
      return text.strip();
    }
    throw bad(field, "must be a text");
  }

  /** A text, or null without the field. */
  public @Nullable String textOrNull(String field) {
    return has(field) ? text(field) : null;
  }

  /** A list of texts, empty without the field. */
  public List<String> words(String field) {
    return words(field, fields.get(field));
  }

  /**
   * The texts of a list, empty for null.
   *
   * @param field name for the error
   */
  public static List<String> words(String field, @Nullable Object value) {
    if (value == null) {
      return List.of();
    }
    if (!(value instanceof Collection<?> items)) {
      throw bad(field, "must be a list of texts");
    }
    List<String> words = new ArrayList<>();
    for (Object item : items) {
      words.add(scalar(field, item));
    }
    return words;
  }

  /** Variables with their values. Variables of the platform are refused. */
  public SortedMap<String, String> variables(String field) {
    SortedMap<String, String> variables = new TreeMap<>();
    mapping(field)
        .forEach((name, value) -> {
          String path = field + "." + name;
          String _ = matching(path, name, VARIABLE);
          if (PLATFORM.matcher(name).matches()) {
            throw bad(path, "is a platform variable that " + kind + " cannot set");
          }
          variables.put(name, scalar(path, value));
        });
    return variables;
  }

  /** Entries of a mapping, empty without the field. */
  public SortedMap<String, @Nullable Object> mapping(String field) {
    Object value = fields.get(field);
    SortedMap<String, @Nullable Object> entries = new TreeMap<>();
    if (value == null) {
      return entries;
    }
    if (!(value instanceof Map<?, ?> given)) {
      throw bad(field, "must be a mapping");
    }
    given.forEach((name, entry) -> entries.put(String.valueOf(name), entry));
    return entries;
  }

  /** A port of the field. */
  public static int port(String field, @Nullable Object value, int least) {
    if (value instanceof Integer port && port >= least && port <= MOST_PORT) {
      return port;
    }
    throw bad(field, "must be a number from %d to %d, not %s".formatted(least, MOST_PORT, value));
  }

  /** A port, or the default without the field. */
  public int port(String field, int least, int without) {
    return has(field) ? port(field, fields.get(field), least) : without;
  }

  /** A text, number or boolean as text. */
  public static String scalar(String field, @Nullable Object value) {
    if (value instanceof String || value instanceof Number || value instanceof Boolean) {
      return value.toString();
    }
    throw bad(field, "must be a text");
  }

  /** The text itself if it matches. */
  public static String matching(String field, String text, Pattern allowed) {
    if (!allowed.matcher(text).matches()) {
      throw bad(field, "must match " + allowed.pattern() + ", not " + text);
    }
    return text;
  }

  /** The error of a field. {@code problem} continues its name. */
  public static IllegalArgumentException bad(String field, String problem) {
    return new IllegalArgumentException(field + " " + problem);
  }
}
