package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.GpuCatalogue;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.MigGeometry;
import dev.fairlead.kernel.resources.Quantity;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.math.BigDecimal;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/**
 * Reads {@code gpu: 1}, {@code gpu: H100:8}, or an object with model and one of count, fraction,
 * memory and mig.
 */
final class GpuReader extends FieldReader<GpuRequest> {
  private static final List<String> PROFILES = List.copyOf(MigGeometry.profileNames());
  static final int MOST_COUNT = 1024;
  private static final int MOST_MODELS = 16;
  private static final int LEAST_FRACTION = 10;
  private static final int MOST_FRACTION = 990;
  private static final Pattern SHORT =
      Pattern.compile("([A-Za-z][A-Za-z0-9._-]{0,62})(?::([0-9]{1,4}))?");
  private static final Pattern MILLI_SUFFIX = Pattern.compile(".*[a-zA-Z].*");

  @Override
  protected Optional<GpuRequest> read(Value gpu) {
    if (gpu.isNumber()) {
      return gpu.integer(0, MOST_COUNT).map(count -> whole(count, List.of(), 0));
    }
    return gpu.isText() ? shorthand(gpu) : BodyBinder.part(gpu, Gpu.class).map(Gpu::request);
  }

  private static GpuRequest whole(int count, List<String> models, long minMemoryMiB) {
    return count == 0
        ? GpuRequest.NONE
        : new GpuRequest(GpuRequest.Kind.WHOLE, count, 0, 0, null, models, minMemoryMiB);
  }

  private static Optional<GpuRequest> shorthand(Value gpu) {
    Matcher form = SHORT.matcher(gpu.text(80).orElse(""));
    int count = !form.matches() ? 0 : form.group(2) == null ? 1 : Integer.parseInt(form.group(2));
    return count >= 1 && count <= MOST_COUNT
        ? Optional.of(whole(count, List.of(GpuCatalogue.asked(form.group(1))), 0))
        : gpu.bad(
            "must be a number such as 1, or a model and a number such as H100:8, not "
                + gpu.shown(),
            null);
  }

  private static GpuRequest shared(int milli, long mib, List<String> models, long minMemory) {
    GpuRequest.Kind kind = milli > 0 ? GpuRequest.Kind.FRACTION : GpuRequest.Kind.MEMORY;
    return new GpuRequest(kind, 0, milli, mib, null, models, minMemory);
  }

  /**
   * GPUs of a member. Exactly one of count, fraction, memory and mig is required.
   *
   * @param model one GPU model, or several in order of preference
   * @param count number of whole GPUs
   * @param fraction part of one GPU, 0.01 to 0.99
   * @param memory GPU memory of the member on a shared GPU
   * @param mig MIG slices: a profile, or an object
   * @param minMemory minimum memory of each GPU
   */
  @Schema(name = "GpuRequest")
  record Gpu(
      @Schema(types = {"string", "array"}) @JsonDeserialize(using = Models.class)
          @Nullable List<String> model,
      @Min(0) @Max(MOST_COUNT) @Nullable Integer count,
      @Schema(
              implementation = BigDecimal.class,
              minimum = "0.01",
              maximum = "0.99",
              multipleOf = 0.001)
          @JsonDeserialize(using = Fraction.class)
          @Nullable Integer fraction,
      @Schema(
              oneOf = {Long.class, String.class},
              minimum = SubmitJobRequest.LEAST_BYTES,
              maximum = SubmitJobRequest.MOST_BYTES)
          @JsonDeserialize(using = ProgramFields.Memory.class)
          @Nullable Long memory,
      @Schema(oneOf = {String.class, Mig.class}) @JsonDeserialize(using = MigReader.class)
          @Nullable Object mig,
      @Schema(
              oneOf = {Long.class, String.class},
              minimum = SubmitJobRequest.LEAST_BYTES,
              maximum = SubmitJobRequest.MOST_BYTES)
          @JsonDeserialize(using = ProgramFields.Memory.class)
          @Nullable Long minMemory)
      implements RequestRules {
    @Override
    public void check(Fields given) {
      long ways = Stream.of("count", "fraction", "memory", "mig").filter(given::has).count();
      if (ways != 1) {
        given.refuse(
            ProblemCode.CONFLICTING_FIELDS,
            "Set exactly one field: count, fraction, memory or mig, not " + ways + ".");
      }
    }

    private GpuRequest request() {
      List<String> models = Objects.requireNonNullElse(model, List.of());
      long least = Objects.requireNonNullElse(minMemory, 0L);
      if (mig instanceof Mig slices) {
        int many = Objects.requireNonNullElse(slices.count(), 1);
        return new GpuRequest(GpuRequest.Kind.MIG, many, 0, 0, slices.profile(), models, least);
      }
      if (count != null) {
        return whole(count, models, least);
      }
      return shared(
          Objects.requireNonNullElse(fraction, 0),
          Objects.requireNonNullElse(memory, 0L),
          models,
          least);
    }
  }

  /**
   * MIG slices of a member.
   *
   * @param profile MIG profile
   * @param count number of slices
   */
  @Schema(name = "MigRequest")
  record Mig(
      @JsonDeserialize(using = Profile.class) String profile,
      @Min(1) @Max(MOST_COUNT) @Nullable Integer count) {}

  /** Reads a profile, or an object with the number of slices. */
  static final class MigReader extends FieldReader<Mig> {
    @Override
    protected Optional<Mig> read(Value value) {
      return value.isObject()
          ? BodyBinder.part(value, Mig.class)
          : value.oneOf(PROFILES).map(profile -> new Mig(profile, null));
    }
  }

  /** Reads the name of a MIG profile. */
  static final class Profile extends FieldReader<String> {
    @Override
    protected Optional<String> read(Value value) {
      return value.oneOf(PROFILES);
    }
  }

  /** Reads a part of one GPU in thousandths. */
  static final class Fraction extends FieldReader<Integer> {
    @Override
    protected Optional<Integer> read(Value value) {
      return value
          .quantityText()
          .filter(text -> !MILLI_SUFFIX.matcher(text).matches())
          .flatMap(Quantity::milli)
          .filter(milli -> milli >= LEAST_FRACTION && milli <= MOST_FRACTION)
          .map(Long::intValue)
          .or(() ->
              value.bad("must be a part of one GPU from 0.01 to 0.99, not " + value.shown(), null));
    }
  }

  /** Reads one model, or several, each once. */
  static final class Models extends FieldReader<List<String>> {
    @Override
    protected Optional<List<String>> read(Value value) {
      List<Value> items = value.isText() ? List.of(value) : value.items(MOST_MODELS);
      return Optional.of(
          items.stream()
              .flatMap(item -> Names.word(item).stream())
              .map(GpuCatalogue::asked)
              .distinct()
              .toList());
    }
  }
}
