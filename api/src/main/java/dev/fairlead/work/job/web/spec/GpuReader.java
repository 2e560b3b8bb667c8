package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.body.AmountFields;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.GpuCatalogue;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.MigGeometry;
import dev.fairlead.kernel.resources.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads {@code gpu: 1}, {@code gpu: H100:8}, or an object with model and one of count, fraction,
 * memory and mig.
 */
final class GpuReader {
  private static final List<String> PROFILES = List.copyOf(MigGeometry.profileNames());
  static final int MOST_COUNT = 1024;
  private static final int MOST_MODELS = 16;
  private static final int LEAST_FRACTION = 10;
  private static final int MOST_FRACTION = 990;
  private static final Pattern SHORT =
      Pattern.compile("([A-Za-z][A-Za-z0-9._-]{0,62})(?::([0-9]{1,4}))?");
  private static final Pattern MILLI_SUFFIX = Pattern.compile(".*[a-zA-Z].*");

  private GpuReader() {}

  /** Returns the request, or NONE if it is absent or unreadable (with a problem). */
  static GpuRequest read(Optional<Value> value) {
    if (value.isEmpty()) {
      return GpuRequest.NONE;
    }
    Value gpu = value.get();
    if (gpu.isNumber()) {
      return gpu.integer(0, MOST_COUNT)
          .map(count -> whole(count, List.of(), 0))
          .orElse(GpuRequest.NONE);
    }
    if (gpu.isText()) {
      return shorthand(gpu);
    }
    return gpu.fields().map(GpuReader::object).orElse(GpuRequest.NONE);
  }

  private static GpuRequest whole(int count, List<String> models, long minMemoryMiB) {
    return count == 0
        ? GpuRequest.NONE
        : new GpuRequest(GpuRequest.Kind.WHOLE, count, 0, 0, null, models, minMemoryMiB);
  }

  private static GpuRequest shorthand(Value gpu) {
    Matcher form = SHORT.matcher(gpu.text(80).orElse(""));
    int count = !form.matches() ? 0 : form.group(2) == null ? 1 : Integer.parseInt(form.group(2));
    if (count < 1 || count > MOST_COUNT) {
      gpu.bad(
          "must be a number such as 1, or a model and a number such as H100:8, not " + gpu.shown(),
          null);
      return GpuRequest.NONE;
    }
    return whole(count, List.of(GpuCatalogue.asked(form.group(1))), 0);
  }

  private static GpuRequest object(Fields gpu) {
    List<String> models = gpu.get("model").map(GpuReader::models).orElse(List.of());
    long minMemory = gpu.get("minMemory").flatMap(AmountFields::memoryMiB).orElse(0L);
    Optional<Value> count = gpu.get("count");
    Optional<Value> fraction = gpu.get("fraction");
    Optional<Value> memory = gpu.get("memory");
    Optional<Value> mig = gpu.get("mig");
    gpu.done();
    long ways = Stream.of(count, fraction, memory, mig).flatMap(Optional::stream).count();
    if (ways != 1) {
      gpu.refuse(
          ProblemCode.CONFLICTING_FIELDS,
          "Set exactly one of count, fraction, memory and mig, not " + ways + ".");
      return GpuRequest.NONE;
    }
    return Stream.of(
            count.flatMap(v -> v.integer(0, MOST_COUNT)).map(n -> whole(n, models, minMemory)),
            fraction.flatMap(GpuReader::fraction).map(milli -> shared(milli, 0, models, minMemory)),
            memory.flatMap(AmountFields::memoryMiB).map(mib -> shared(0, mib, models, minMemory)),
            mig.flatMap(v -> mig(v, models, minMemory)))
        .flatMap(Optional::stream)
        .findFirst()
        .orElse(GpuRequest.NONE);
  }

  private static GpuRequest shared(int milli, long mib, List<String> models, long minMemory) {
    GpuRequest.Kind kind = milli > 0 ? GpuRequest.Kind.FRACTION : GpuRequest.Kind.MEMORY;
    return new GpuRequest(kind, 0, milli, mib, null, models, minMemory);
  }

  private static Optional<Integer> fraction(Value value) {
    return value
        .quantityText()
        .filter(text -> !MILLI_SUFFIX.matcher(text).matches())
        .flatMap(Quantity::milli)
        .filter(milli -> milli >= LEAST_FRACTION && milli <= MOST_FRACTION)
        .map(Long::intValue)
        .or(() ->
            value.bad("must be a part of one GPU from 0.01 to 0.99, not " + value.shown(), null));
  }

  private static Optional<GpuRequest> mig(Value value, List<String> models, long minMemory) {
    if (!value.isObject()) {
      return value.oneOf(PROFILES).map(profile -> mig(profile, 1, models, minMemory));
    }
    return value
        .fields()
        .flatMap(fields -> {
          Optional<String> profile =
              fields.required("profile", "for example 1g.10gb.").flatMap(v -> v.oneOf(PROFILES));
          int count = fields.get("count").flatMap(v -> v.integer(1, MOST_COUNT)).orElse(1);
          fields.done();
          return profile.map(p -> mig(p, count, models, minMemory));
        });
  }

  private static GpuRequest mig(String profile, int count, List<String> models, long minMemory) {
    return new GpuRequest(GpuRequest.Kind.MIG, count, 0, 0, profile, models, minMemory);
  }

  private static List<String> models(Value value) {
    List<Value> items = value.isText() ? List.of(value) : value.items(MOST_MODELS);
    List<String> models = new ArrayList<>();
    for (Value item : items) {
      Names.word(item)
          .map(GpuCatalogue::asked)
          .filter(name -> !models.contains(name))
          .ifPresent(models::add);
    }
    return models;
  }
}
