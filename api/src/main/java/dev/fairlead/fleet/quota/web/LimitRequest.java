package dev.fairlead.fleet.quota.web;

import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.fleet.quota.LimitWindow;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.window.WindowFields;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import org.hibernate.validator.constraints.time.DurationMax;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/** The limit for one flavor and resource. GPUs and cores are decimals, memory is a quantity. */
@Schema(name = "LimitRequest")
record LimitRequest(
    @Schema(
            implementation = String.class,
            description = "Model and capacity type, for example H100/RESERVED")
        @JsonDeserialize(using = FlavorReader.class)
        Flavor flavor,
    @Schema(
            description = "Resource: gpu, cpu or memory",
            allowableValues = {"gpu", "cpu", "memory"})
        @JsonDeserialize(using = ResourceReader.class)
        String resource,
    @Schema(
            types = {"number", "string", "null"},
            description = "Quota that the subtree owns. Unlimited when absent")
        @JsonDeserialize(using = QuantityText.class)
        @Nullable String nominal,
    @Schema(
            types = {"number", "string", "null"},
            description = "Maximum use beyond the nominal quota. All available quota when absent")
        @JsonDeserialize(using = QuantityText.class)
        @Nullable String borrowingLimit,
    @Schema(
            types = {"number", "string", "null"},
            description = "Maximum idle quota for others. All of it when absent")
        @JsonDeserialize(using = QuantityText.class)
        @Nullable String lendingLimit,
    @Schema(
            description =
                "Windows with other amounts. The first of several open windows applies. None when"
                    + " absent")
        @Size(max = QuotaLimit.MOST_WINDOWS)
        @Nullable List<Window> windows,
    @Schema(
            description =
                "Treatment of running jobs beyond the limit when a window closes. Default: FINISH",
            allowableValues = {"EVICT", "FINISH"})
        @JsonDeserialize(using = PolicyReader.class)
        @Nullable LeftoverPolicy leftoverPolicy,
    @Schema(
            implementation = String.class,
            description =
                "With EVICT, time before a window closes at which jobs are ordered to stop")
        @DurationMax(hours = LONGEST_LEAD_HOURS)
        @Nullable Duration windowLead)
    implements RequestRules {
  static final int MOST = 200;
  private static final int LONGEST_LEAD_HOURS = 24;
  private static final int LONGEST_FLAVOR = 100;

  @Override
  public void check(Fields given) {
    for (String amount : List.of("nominal", "borrowingLimit", "lendingLimit")) {
      QuotaAmounts.check(given, amount, resource);
    }
    given
        .get("windows")
        .filter(Value::isList)
        .map(each -> each.items(QuotaLimit.MOST_WINDOWS))
        .orElse(List.of())
        .forEach(each ->
            each.fields()
                .ifPresent(window -> {
                  QuotaAmounts.check(window, "nominal", resource);
                  QuotaAmounts.check(window, "borrowingLimit", resource);
                }));
    boolean always = windows == null || windows.isEmpty();
    for (String field : List.of("leftoverPolicy", "windowLead")) {
      if (always && given.has(field)) {
        given.refuse(
            field,
            ProblemCode.CONFLICTING_FIELDS,
            field + ": a limit without windows never changes.",
            null);
      }
    }
    if (leftoverPolicy != LeftoverPolicy.EVICT && windowLead != null) {
      given.refuse(
          "windowLead",
          ProblemCode.CONFLICTING_FIELDS,
          "windowLead, the time before a window closes at which jobs are stopped, needs leftoverPolicy"
              + " EVICT.",
          null);
    }
  }

  /** Reports limits for the same flavor and resource. */
  static void checkDistinct(Fields given, @Nullable List<LimitRequest> limits) {
    TreeSet<QuotaCell> cells = new TreeSet<>();
    List<Value> items =
        limits == null ? List.of() : given.get("limits").map(v -> v.items(MOST)).orElse(List.of());
    for (int i = 0; i < items.size(); i++) {
      LimitRequest limit = Objects.requireNonNull(limits).get(i);
      if (limit.named() && !cells.add(new QuotaCell(limit.flavor, limit.resource))) {
        items
            .get(i)
            .refuse(
                ProblemCode.CONFLICTING_FIELDS,
                "Another limit exists for this flavor and resource",
                null);
      }
    }
  }

  /** Returns whether both the flavor and the resource are valid. */
  private boolean named() {
    @Nullable Flavor of = flavor;
    @Nullable String by = resource;
    return of != null && by != null;
  }

  static List<QuotaLimit> of(@Nullable List<LimitRequest> limits) {
    return limits == null ? List.of() : limits.stream().map(LimitRequest::limit).toList();
  }

  private QuotaLimit limit() {
    return new QuotaLimit(
        flavor,
        resource,
        QuotaAmounts.of(nominal, resource),
        QuotaAmounts.of(borrowingLimit, resource),
        QuotaAmounts.of(lendingLimit, resource),
        windows == null ? List.of() : windows.stream().map(each -> each.window(resource)).toList(),
        leftoverPolicy == LeftoverPolicy.EVICT
            ? Objects.requireNonNullElse(windowLead, Duration.ZERO)
            : null);
  }

  /** Amounts of a limit while a window is open. At least one is required. */
  @Schema(name = "LimitWindowRequest")
  record Window(
      @Schema(
              implementation = String.class,
              description =
                  "Opening times: minute, hour, day of month, month and day of week, as in"
                      + " crontab(5), at most once an hour",
              example = "0 22 * * 1-5")
          @JsonDeserialize(using = CronReader.class)
          Cron cron,
      @Schema(
              implementation = String.class,
              description =
                  "Duration of each opening in local time of its time zone: whole minutes, at"
                      + " most 31d",
              example = "8h")
          @JsonDeserialize(using = Minutes.class)
          Duration duration,
      @Schema(
              implementation = String.class,
              description = "Time zone by its IANA name",
              example = "Europe/Berlin")
          @JsonDeserialize(using = ZoneReader.class)
          ZoneId timezone,
      @Schema(
              types = {"number", "string", "null"},
              description = "Nominal quota of the subtree in the window. Unchanged when absent")
          @JsonDeserialize(using = QuantityText.class)
          @Nullable String nominal,
      @Schema(
              types = {"number", "string", "null"},
              description =
                  "Maximum usage beyond the nominal quota in the window. Unchanged when absent")
          @JsonDeserialize(using = QuantityText.class)
          @Nullable String borrowingLimit)
      implements WindowFields, RequestRules {
    @Override
    public void check(Fields given) {
      checkWindow(given);
      if (!given.has("nominal") && !given.has("borrowingLimit")) {
        given.refuse(
            ProblemCode.INVALID_FIELD,
            "The window changes nothing: nominal or borrowingLimit is the amount while it is open.");
      }
    }

    private LimitWindow window(String resource) {
      return new LimitWindow(
          window(), QuotaAmounts.of(nominal, resource), QuotaAmounts.of(borrowingLimit, resource));
    }
  }

  /** Reads a GPU model, or CPU, with a capacity type. */
  static final class FlavorReader extends FieldReader<Flavor> {
    @Override
    protected Optional<Flavor> read(Value value) {
      return value
          .text(LONGEST_FLAVOR)
          .flatMap(text ->
              Flavor.parse(text)
                  .filter(flavor -> Names.isWord(flavor.model()))
                  .or(() ->
                      value.bad(
                          "must be a GPU model or CPU, a slash, and RESERVED, ON_DEMAND or SPOT, not "
                              + value.shown(),
                          null)));
    }
  }

  /** Reads a resource with a quota. */
  static final class ResourceReader extends FieldReader<String> {
    @Override
    protected Optional<String> read(Value value) {
      return value.oneOf(QuotaAmounts.RESOURCES);
    }
  }

  /** Reads a number or a quantity, which depends on the resource. */
  static final class QuantityText extends FieldReader<String> {
    @Override
    protected Optional<String> read(Value value) {
      return value.quantityText();
    }
  }

  /** Reads EVICT or FINISH: no job continues for a limited time. */
  static final class PolicyReader extends FieldReader<LeftoverPolicy> {
    @Override
    protected Optional<LeftoverPolicy> read(Value value) {
      return value.choice(List.of(LeftoverPolicy.EVICT, LeftoverPolicy.FINISH));
    }
  }
}
