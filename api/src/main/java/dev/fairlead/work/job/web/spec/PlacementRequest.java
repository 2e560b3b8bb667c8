package dev.fairlead.work.job.web.spec;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Labels;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.web.spi.PriceCap;
import dev.fairlead.work.spec.PlacementSpec;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/**
 * Allowed places of a job. List order is order of preference.
 *
 * @param clusters names of clusters
 * @param pools names of pools. A gang runs inside one pool
 * @param capacity capacity types
 * @param waits time that the job waits for better capacity before it uses each capacity type
 * @param nodeLabels labels that nodes have, by key
 * @param maxPricePerGpuHour highest price of a GPU-hour in the price book at the start. Needs
 *     currency. The limit does not apply to reserved capacity, and capacity without a price is not
 *     used
 * @param maxCost highest cost of the job, or of an element of an array, at full size for
 *     maxRuntime, at the prices of the start. Needs maxRuntime and currency. The limit does not
 *     apply to reserved capacity, and capacity without a price is not used
 * @param currency currency of maxPricePerGpuHour and maxCost as ISO 4217
 * @param near terms that need a matching job in the domain of each member, at most 8. A job that
 *     matches its own term may be the first
 * @param away terms that allow no matching job in the domain of a member, at most 8. Matching jobs
 *     do not start there later either
 */
@RecordBuilder
@Schema(name = "PlacementRequest")
record PlacementRequest(
    @Size(max = MOST_NAMES) @Nullable List<@DnsLabel String> clusters,
    @Size(max = MOST_NAMES) @Nullable List<@DnsLabel String> pools,
    @JsonDeserialize(using = Capacities.class) @Nullable List<CapacityType> capacity,
    @JsonProperty("wait")
        @Schema(types = "object", additionalPropertiesSchema = String.class)
        @JsonDeserialize(using = Waits.class)
        @Nullable SortedMap<CapacityType, Duration> waits,
    @JsonDeserialize(using = NodeLabels.class) @Nullable SortedMap<String, String> nodeLabels,
    @Max(PriceCap.MOST) @Nullable BigDecimal maxPricePerGpuHour,
    @Max(PriceCap.MOST) @Nullable BigDecimal maxCost,
    @Pattern(regexp = PriceCap.CURRENCY, message = PriceCap.CURRENCY_RULE)
        @Nullable String currency,
    @Size(max = PlacementSpec.MOST_TERMS) @Nullable List<JobTerm> near,
    @Size(max = PlacementSpec.MOST_TERMS) @Nullable List<JobTerm> away)
    implements RequestRules {
  static final PlacementRequest ANYWHERE =
      PlacementRequestBuilder.builder()
          .clusters(null)
          .pools(null)
          .capacity(null)
          .waits(null)
          .nodeLabels(null)
          .maxPricePerGpuHour(null)
          .maxCost(null)
          .currency(null)
          .near(null)
          .away(null)
          .build();
  private static final int MOST_NAMES = 64;
  private static final Duration LONGEST_WAIT = Duration.ofDays(30);

  @Override
  public void check(Fields given) {
    PriceCap.check(given, List.of("maxPricePerGpuHour", "maxCost"));
    List<CapacityType> types = types();
    given
        .get("wait")
        .filter(Value::isObject)
        .map(waiting -> waiting.entries(CapacityType.values().length))
        .orElse(new TreeMap<>())
        .forEach((name, wait) -> {
          if (types.stream().noneMatch(type -> type.name().equals(name))) {
            wait.refuse(
                ProblemCode.CONFLICTING_FIELDS,
                "wait names capacity types of this job only: " + types,
                null);
          }
        });
  }

  List<String> clusterNames() {
    return distinct(clusters);
  }

  List<String> poolNames() {
    return distinct(pools);
  }

  /** All types in their usual order when absent. */
  List<CapacityType> types() {
    return capacity == null || capacity.isEmpty() ? PlacementSpec.ANYWHERE.capacity() : capacity;
  }

  SortedMap<CapacityType, Duration> waitsByType() {
    return waits == null ? Collections.emptySortedMap() : waits;
  }

  SortedMap<String, String> labels() {
    return nodeLabels == null ? Collections.emptySortedMap() : nodeLabels;
  }

  @Nullable Money price() {
    return PriceCap.of(maxPricePerGpuHour, currency);
  }

  @Nullable Money cost() {
    return PriceCap.of(maxCost, currency);
  }

  static List<PlacementSpec.JobTerm> terms(@Nullable List<JobTerm> terms) {
    return distinct(terms).stream().map(JobTerm::term).distinct().toList();
  }

  private static <T> List<T> distinct(@Nullable List<T> items) {
    return items == null ? List.of() : items.stream().distinct().toList();
  }

  /**
   * Other jobs of the same project, in a domain of the topology. Elements of an array count as
   * separate jobs, and members of one job do not count.
   *
   * @param jobs labels of the jobs, 1 to 8. A job must have all of them
   * @param within level of the topology, such as rack: host for a node, cluster for the whole
   *     cluster
   */
  @Schema(name = "JobTermRequest")
  record JobTerm(
      @JsonDeserialize(using = TermLabels.class) SortedMap<String, String> jobs,
      @Size(min = 1, max = Names.LONGEST_LABEL)
          @Pattern(regexp = Names.WORD_PATTERN, message = Names.WORD_RULE)
          @Nullable String within) {
    PlacementSpec.JobTerm term() {
      return new PlacementSpec.JobTerm(
          jobs, Objects.requireNonNullElse(within, PlacementSpec.JobTerm.HOST));
    }
  }

  /** Reads labels of other jobs, at least one. */
  static final class TermLabels extends FieldReader<SortedMap<String, String>> {
    @Override
    protected Optional<SortedMap<String, String>> read(Value value) {
      SortedMap<String, String> labels = Labels.read(value, PlacementSpec.JobTerm.MOST_LABELS);
      return labels.isEmpty()
          ? value.bad("must contain at least one label of the other jobs", null)
          : Optional.of(labels);
    }
  }

  /** Reads capacity types, each once. */
  static final class Capacities extends FieldReader<List<CapacityType>> {
    @Override
    protected Optional<List<CapacityType>> read(Value value) {
      return Optional.of(JobParts.choices(value, List.of(CapacityType.values())));
    }
  }

  /** Reads the wait of each capacity type. The rules of the request report unknown types. */
  static final class Waits extends FieldReader<SortedMap<CapacityType, Duration>> {
    @Override
    protected Optional<SortedMap<CapacityType, Duration>> read(Value value) {
      SortedMap<CapacityType, Duration> waits = new TreeMap<>();
      SortedMap<String, Value> given = value.entries(CapacityType.values().length);
      for (CapacityType type : CapacityType.values()) {
        Optional.ofNullable(given.get(type.name()))
            .flatMap(wait -> wait.duration(Duration.ZERO, LONGEST_WAIT))
            .ifPresent(wait -> waits.put(type, wait));
      }
      return Optional.of(waits);
    }
  }

  /** Reads labels of nodes. Their keys depend on the configuration. */
  static final class NodeLabels extends FieldReader<SortedMap<String, String>> {
    @Override
    protected Optional<SortedMap<String, String>> read(Value value) {
      SortedMap<String, String> labels = new TreeMap<>();
      value
          .entries(AnnotationReader.MOST)
          .forEach((key, given) -> Labels.value(given).ifPresent(text -> labels.put(key, text)));
      return Optional.of(labels);
    }
  }
}
