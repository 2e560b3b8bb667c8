package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.service.PoolSpec;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Labels;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.window.WindowFields;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.hibernate.validator.constraints.time.DurationMax;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/** Requests that write pools. */
interface PoolRequests {
  int MOST = 64;
  int LONGEST_NAME = 40;
  int LONGEST_DESCRIPTION = 200;
  int LONGEST_DAYS = 31;

  /** A new pool. */
  @Schema(name = "CreatePoolRequest")
  record Create(
      @Schema(description = "DNS label of at most 40 characters") @DnsLabel(max = LONGEST_NAME)
          String name,
      @Schema(
              description =
                  "Name of the tenant with exclusive use of its nodes. Shared when absent")
          @DnsLabel
          @Nullable String tenant,
      @Schema(description = "The nodes that belong to it") Selector selector,
      @Schema(description = "Description, at most 200 characters") @Size(max = LONGEST_DESCRIPTION)
          @Nullable String description,
      @Schema(
              implementation = String.class,
              description =
                  "Number of spare nodes reserved for gangs that lose a node to a fault. None"
                      + " when absent",
              example = "1 per 32")
          @JsonDeserialize(using = SparesReader.class)
          @Nullable Spares spares,
      @Schema(description = "Windows when its nodes accept jobs, at most 16. Always when absent")
          @Size(max = PoolWindows.MOST)
          @Nullable List<Window> windows,
      @Schema(
              description =
                  "Action on jobs that still run when a window closes: EVICT (default),"
                      + " EXTEND_UP_TO leftoverLimit, or FINISH")
          @Nullable LeftoverPolicy leftoverPolicy,
      @Schema(
              implementation = String.class,
              description = "Maximum time that they may continue with EXTEND_UP_TO, at most 31d",
              example = "30m")
          @DurationMax(days = LONGEST_DAYS)
          @Nullable Duration leftoverLimit,
      @Schema(
              implementation = String.class,
              description =
                  "With FINISH: time before the close during which only preemptible jobs"
                      + " and jobs that end before the close may start, at most 31d",
              example = "2h")
          @DurationMax(days = LONGEST_DAYS)
          @Nullable Duration windowLead)
      implements PoolWindowFields, RequestRules {
    @Override
    public void check(Fields given) {
      PoolWindowFields.checkAlone(given, given.has("windows"));
      checkWindows(given);
    }

    PoolSpec spec() {
      return new PoolSpec(
          name,
          tenant,
          selector.selector(),
          Objects.requireNonNullElse(description, ""),
          Objects.requireNonNullElse(spares, Spares.NONE),
          poolWindows());
    }
  }

  /** The changeable fields of a pool. */
  @Schema(name = "UpdatePoolRequest")
  record Update(
      @Schema(description = "Name of the owner. Shared when null") @DnsLabel
          @Nullable String tenant,
      @Nullable Selector selector,
      @Size(max = LONGEST_DESCRIPTION) @Nullable String description,
      @Schema(
              implementation = String.class,
              description = "Number of spare nodes, such as 1 per 32. None when null",
              example = "1 per 32")
          @JsonDeserialize(using = SparesReader.class)
          @Nullable Spares spares,
      @Schema(description = "Windows when its nodes accept jobs, at most 16. Always when absent")
          @Size(max = PoolWindows.MOST)
          @Nullable List<Window> windows,
      @Schema(
              description =
                  "Action on jobs that still run when a window closes: EVICT (default),"
                      + " EXTEND_UP_TO leftoverLimit, or FINISH")
          @Nullable LeftoverPolicy leftoverPolicy,
      @Schema(
              implementation = String.class,
              description = "Maximum time that they may continue with EXTEND_UP_TO, at most 31d",
              example = "30m")
          @DurationMax(days = LONGEST_DAYS)
          @Nullable Duration leftoverLimit,
      @Schema(
              implementation = String.class,
              description =
                  "With FINISH: time before the close during which only preemptible jobs"
                      + " and jobs that end before the close may start, at most 31d",
              example = "2h")
          @DurationMax(days = LONGEST_DAYS)
          @Nullable Duration windowLead)
      implements PoolWindowFields, RequestRules {
    @Override
    public void check(Fields given) {
      if (given.has("name")) {
        given.refuse(
            "name",
            ProblemCode.INVALID_FIELD,
            "The name of a pool cannot change. Create another pool.",
            null);
      }
      given.required("selector", "the nodes that belong to it.");
      checkWindows(given);
    }

    PoolSpec spec(String name) {
      return new PoolSpec(
          name,
          tenant,
          Objects.requireNonNull(selector).selector(),
          Objects.requireNonNullElse(description, ""),
          Objects.requireNonNullElse(spares, Spares.NONE),
          poolWindows());
    }
  }

  /** A recurring window. */
  @Schema(name = "PoolWindowRequest")
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
                  "Duration of each opening in local time of its time zone: whole minutes,"
                      + " at most 31d",
              example = "8h")
          @JsonDeserialize(using = Minutes.class)
          Duration duration,
      @Schema(
              implementation = String.class,
              description = "Time zone by its IANA name",
              example = "Europe/Berlin")
          @JsonDeserialize(using = ZoneReader.class)
          ZoneId timezone)
      implements WindowFields, RequestRules {
    @Override
    public void check(Fields given) {
      checkWindow(given);
    }
  }

  /** Selects the nodes that match every given part. */
  @Schema(name = "PoolSelectorRequest")
  record Selector(
      @Schema(description = "Names of clusters. A node matches if it is on any of these clusters")
          @Size(max = MOST)
          @Nullable List<@DnsLabel String> clusters,
      @Schema(description = "GPU models. A node matches if it has any of these models")
          @Size(max = MOST)
          @Nullable
              List<
                  @Size(min = 1, max = Names.LONGEST_LABEL)
                  @Pattern(regexp = Names.WORD_PATTERN, message = Names.WORD_RULE) String>
              models,
      @Schema(description = "Node labels. A node must have all of these labels")
          @JsonDeserialize(using = NodeLabels.class)
          @Nullable SortedMap<String, String> matchLabels,
      @Schema(
              description =
                  "Further requirements on labels. A node must meet all of these expressions")
          @Size(max = MOST)
          @Nullable List<Requirement> matchExpressions)
      implements RequestRules {
    @Override
    public void check(Fields given) {
      boolean labels = matchLabels != null && !matchLabels.isEmpty();
      if (none(clusters) && none(models) && none(matchExpressions) && !labels) {
        given.refuse(
            ProblemCode.INVALID_FIELD,
            "An empty selector would match the whole fleet. Set clusters, models, matchLabels or"
                + " matchExpressions.");
      }
    }

    private static boolean none(@Nullable List<?> items) {
      return items == null || items.isEmpty();
    }

    private static <T> List<T> distinct(@Nullable List<T> items) {
      return items == null ? List.of() : items.stream().distinct().toList();
    }

    private PoolSelector selector() {
      return new PoolSelector(
          distinct(clusters),
          distinct(models),
          matchLabels == null ? Collections.emptySortedMap() : matchLabels,
          distinct(matchExpressions).stream().map(Requirement::requirement).distinct().toList());
    }
  }

  /** One requirement on a label, as in Kubernetes selectors. */
  @Schema(name = "PoolRequirementRequest")
  record Requirement(
      @Schema(description = "A label of nodes") @JsonDeserialize(using = LabelKey.class) String key,
      @Schema(
              implementation = String.class,
              description = "One of In, NotIn, Exists, DoesNotExist",
              allowableValues = {"In", "NotIn", "Exists", "DoesNotExist"})
          @JsonDeserialize(using = OperatorReader.class)
          PoolSelector.Operator operator,
      @Size(max = MOST) @JsonDeserialize(contentUsing = LabelValue.class)
          @Nullable List<String> values)
      implements RequestRules {
    @Override
    public void check(Fields given) {
      PoolSelector.@Nullable Operator by = operator;
      boolean compares = by == PoolSelector.Operator.IN || by == PoolSelector.Operator.NOT_IN;
      boolean refused = values == null && given.has("values");
      if (by != null && !refused && compares == (values == null || values.isEmpty())) {
        given.refuse(
            "values",
            ProblemCode.CONFLICTING_FIELDS,
            by.text() + (compares ? " needs values." : " takes no values."),
            null);
      }
    }

    private PoolSelector.Requirement requirement() {
      return new PoolSelector.Requirement(
          key, operator, values == null ? List.of() : values.stream().distinct().toList());
    }
  }

  /** Reads the number of spare nodes, such as {@code 1 per 32}. */
  final class SparesReader extends FieldReader<Spares> {
    private static final int LONGEST = 20;

    @Override
    protected Optional<Spares> read(Value value) {
      return value
          .text(LONGEST)
          .flatMap(text -> {
            Optional<Spares> read = Spares.parse(text);
            return read.isPresent()
                ? read
                : value.bad(
                    "must be a number of spare nodes per number of nodes, with at most "
                        + Spares.MOST,
                    "1 per 32");
          });
    }
  }

  /** Reads labels of nodes, reserved ones included. */
  final class NodeLabels extends FieldReader<SortedMap<String, String>> {
    @Override
    protected Optional<SortedMap<String, String>> read(Value value) {
      SortedMap<String, String> labels = new TreeMap<>();
      value
          .entries(MOST)
          .forEach((key, given) -> {
            if (isKey(key, given)) {
              Labels.value(given).ifPresent(text -> labels.put(key, text));
            }
          });
      return Optional.of(labels);
    }
  }

  /** Reads the key of a label of nodes. */
  final class LabelKey extends FieldReader<String> {
    @Override
    protected Optional<String> read(Value value) {
      return value.text(Labels.LONGEST_KEY).filter(text -> isKey(text, value));
    }
  }

  /** Reads the value of a label, which may be empty. */
  final class LabelValue extends FieldReader<String> {
    @Override
    protected Optional<String> read(Value value) {
      return Labels.value(value);
    }
  }

  /** Reads an operator by its name in Kubernetes. */
  final class OperatorReader extends FieldReader<PoolSelector.Operator> {
    @Override
    protected Optional<PoolSelector.Operator> read(Value value) {
      return value.named(
          Arrays.asList(PoolSelector.Operator.values()), PoolSelector.Operator::text);
    }
  }

  private static boolean isKey(String key, Value value) {
    boolean good = Labels.isKey(key);
    if (!good) {
      Optional<String> _ =
          value.bad("is not a label key: a name with an optional DNS prefix and /", null);
    }
    return good;
  }
}
