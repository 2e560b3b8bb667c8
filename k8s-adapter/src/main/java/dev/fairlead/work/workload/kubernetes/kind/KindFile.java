package dev.fairlead.work.workload.kubernetes.kind;

import dev.fairlead.kernel.resources.FileFields;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the YAML of one kind and checks it. Every error names the field. Fairlead writes only the
 * flag {@code suspend}, the labels and the nodes of pod templates, and its own entry in a list of
 * patches, so no file can direct a write at another field.
 */
final class KindFile {
  private static final Set<String> FIELDS =
      Set.of(
          "name",
          "apiVersion",
          "kind",
          "plural",
          "suspend",
          "pods",
          "made",
          "annotated",
          "refused",
          "required",
          "suspended",
          "running",
          "succeeded",
          "failed");
  private static final Set<String> OF_PODS = Set.of("template", "label", "counts");
  private static final Set<String> OF_MADE = Set.of("kind", "patches");
  private static final Set<String> OF_REQUIRED = Set.of("values", "why");
  private static final Pattern API_VERSION =
      Pattern.compile("[a-z0-9.-]{1,200}\\.[a-z0-9.-]{1,50}/v[0-9][a-z0-9]{0,20}");
  private static final Pattern KIND = Pattern.compile("[A-Z][A-Za-z0-9]{0,62}");
  private static final Pattern LABEL =
      Pattern.compile("[a-z0-9.-]{1,200}/[a-z0-9]([a-z0-9_.-]{0,61}[a-z0-9])?");
  private static final String SPEC = "/spec/";

  private final FileFields fields;

  private KindFile(FileFields fields) {
    this.fields = fields;
  }

  /**
   * @throws IllegalArgumentException for text that is not a kind, with the field and the reason
   */
  static Kind read(String yaml) {
    return new KindFile(FileFields.read(yaml, "a kind", FIELDS)).kind();
  }

  private Kind kind() {
    String[] api =
        FileFields.matching("apiVersion", fields.text("apiVersion"), API_VERSION).split("/", -1);
    return KindBuilder.builder()
        .name(FileFields.matching("name", fields.text("name"), FileFields.NAME))
        .group(api[0])
        .version(api[1])
        .kind(FileFields.matching("kind", fields.text("kind"), KIND))
        .plural(FileFields.matching("plural", fields.text("plural"), FileFields.NAME))
        .suspend(single("suspend", fields.text("suspend"), "/suspend"))
        .pods(pods())
        .made(made())
        .annotated(fields.flag("annotated"))
        .refused(refused())
        .required(required())
        .suspended(some("suspended"))
        .running(some("running"))
        .succeeded(signs("succeeded"))
        .failed(signs("failed"))
        .build();
  }

  private List<Kind.Pods> pods() {
    List<Kind.Pods> all = new ArrayList<>();
    SortedMap<String, @Nullable Object> given = fields.mapping("pods");
    if (given.isEmpty()) {
      throw FileFields.bad("pods", "must name at least one pod template");
    }
    given.forEach((name, value) -> all.add(pods("pods." + name, name, value)));
    return all;
  }

  private static Kind.Pods pods(String field, String name, @Nullable Object value) {
    if (!(value instanceof Map<?, ?> given)) {
      throw FileFields.bad(field, "must be a mapping with template, label and counts");
    }
    for (Object key : given.keySet()) {
      if (!OF_PODS.contains(String.valueOf(key))) {
        throw FileFields.bad(field + "." + key, "is not a field of pods");
      }
    }
    KindPath template =
        spec(
            field + ".template",
            FileFields.scalar(field + ".template", given.get("template")),
            "/template");
    List<KindPath> counts = new ArrayList<>();
    for (String count : FileFields.words(field + ".counts", given.get("counts"))) {
      KindPath path = spec(field + ".counts", count, "");
      if (path.several() && !template.several()) {
        throw FileFields.bad(field + ".counts", "cannot have * without * in template");
      }
      counts.add(path);
    }
    String role = template.several() ? "" : FileFields.matching(field, name, FileFields.NAME);
    String label = FileFields.scalar(field + ".label", given.get("label"));
    return new Kind.Pods(
        template, role, counts, FileFields.matching(field + ".label", label, LABEL));
  }

  private Kind.@Nullable Made made() {
    SortedMap<String, @Nullable Object> given = fields.mapping("made");
    if (given.isEmpty()) {
      return null;
    }
    if (!OF_MADE.equals(given.keySet())) {
      throw FileFields.bad("made", "must be a mapping with kind and patches");
    }
    String kind = FileFields.scalar("made.kind", given.get("kind"));
    return new Kind.Made(
        FileFields.matching("made.kind", kind, FileFields.NAME),
        single(
            "made.patches",
            FileFields.scalar("made.patches", given.get("patches")),
            "/runtimePatches"));
  }

  private SortedMap<KindPath, String> refused() {
    SortedMap<KindPath, String> refused = new TreeMap<>();
    fields
        .mapping("refused")
        .forEach((path, why) ->
            refused.put(single("refused", path, ""), FileFields.scalar("refused." + path, why)));
    return refused;
  }

  private List<Kind.FieldRule> required() {
    List<Kind.FieldRule> required = new ArrayList<>();
    fields
        .mapping("required")
        .forEach((path, value) -> {
          String field = "required." + path;
          if (!(value instanceof Map<?, ?> given) || !OF_REQUIRED.equals(given.keySet())) {
            throw FileFields.bad(field, "must be a mapping with values and why");
          }
          List<String> values = FileFields.words(field + ".values", given.get("values"));
          if (values.isEmpty()) {
            throw FileFields.bad(field + ".values", "must name at least one value");
          }
          required.add(
              new Kind.FieldRule(
                  single("required", path, ""),
                  values,
                  FileFields.scalar(field + ".why", given.get("why"))));
        });
    return required;
  }

  private List<KindSign> signs(String field) {
    List<KindSign> signs = new ArrayList<>();
    for (String text : fields.words(field)) {
      KindSign sign = KindSign.read(text);
      if (sign == null) {
        throw FileFields.bad(
            field, "must name conditions or fields such as /status/phase=Running, not " + text);
      }
      signs.add(sign);
    }
    return signs;
  }

  private List<KindSign> some(String field) {
    List<KindSign> signs = signs(field);
    if (signs.isEmpty()) {
      throw FileFields.bad(field, "must name a condition or a field of the status");
    }
    return signs;
  }

  private static KindPath single(String field, String text, String end) {
    KindPath path = spec(field, text, end);
    if (path.several()) {
      throw FileFields.bad(field, "must be one path without *, not " + text);
    }
    return path;
  }

  private static KindPath spec(String field, String text, String end) {
    if (!KindPath.wellFormed(text) || !text.startsWith(SPEC) || !text.endsWith(end)) {
      throw FileFields.bad(
          field,
          "must be a path below /spec%s with at most one *, not %s"
              .formatted(end.isEmpty() ? "" : " that ends in " + end, text));
    }
    return new KindPath(text);
  }
}
