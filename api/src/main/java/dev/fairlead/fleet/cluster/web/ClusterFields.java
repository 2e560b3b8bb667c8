package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterSettingsBuilder;
import dev.fairlead.fleet.cluster.Window;
import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.fleet.cluster.connection.TrafficGateway;
import dev.fairlead.kernel.body.AmountFields;
import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Labels;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.CapacityType;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/** Fields of a cluster that a registration and a change have in common. */
interface ClusterFields {
  int MOST_LEVELS = 8;
  int LONGEST_KUBECONFIG = 256 * 1024;
  int LONGEST_PART = 64 * 1024;
  int HIGHEST_PORT = 65_535;

  /** Fields of Kubernetes clusters only. */
  List<String> KUBERNETES =
      List.of("topologyLabels", "pinning", "callback", "gateway", "backend", "devices");

  @Nullable CapacityType capacityType();

  @Nullable SortedMap<String, Long> pricePerGpuHour();

  @Nullable List<String> topologyLabels();

  ClusterSettings.@Nullable Pinning pinning();

  @Nullable String rdmaResource();

  ClusterSettings.@Nullable Scoring scoring();

  @Nullable WindowRequest window();

  ClusterSettings.@Nullable Consolidation consolidation();

  @Nullable String callback();

  @Nullable PrometheusRequest prometheus();

  ClusterSettings.@Nullable NodeLabelPolicy nodeLabelsAndTaints();

  @Nullable GatewayRequest gateway();

  @Nullable BackendRequest backend();

  @Nullable DevicesRequest devices();

  /** RESERVED when absent. */
  default CapacityType capacity() {
    return Objects.requireNonNullElse(capacityType(), CapacityType.RESERVED);
  }

  /** Prices of a GPU-hour by model in millionths. */
  default SortedMap<String, Long> prices() {
    return Objects.requireNonNullElse(pricePerGpuHour(), Collections.emptySortedMap());
  }

  /** The settings of a request without problems. */
  default ClusterSettings settings() {
    WindowRequest window = window();
    PrometheusRequest prometheus = prometheus();
    GatewayRequest gateway = gateway();
    return ClusterSettingsBuilder.builder()
        .topologyLabels(Objects.requireNonNullElse(topologyLabels(), List.of()))
        .pinning(Objects.requireNonNullElse(pinning(), ClusterSettings.Pinning.DIRECT))
        .rdmaResource(rdmaResource())
        .scoring(Objects.requireNonNullElse(scoring(), ClusterSettings.Scoring.DEFAULT))
        .window(window == null ? Window.ALWAYS : new Window(window.from(), window.until()))
        .consolidation(
            Objects.requireNonNullElse(consolidation(), ClusterSettings.Consolidation.NEVER))
        .callback(callback())
        .prometheus(prometheus == null ? null : prometheus.address())
        .nodeLabelsAndTaints(
            Objects.requireNonNullElse(
                nodeLabelsAndTaints(), ClusterSettings.NodeLabelPolicy.NEVER))
        .gateway(gateway == null ? null : gateway.gateway())
        .backend(chosenBackend())
        .devices(chosenDevices())
        .build();
  }

  private PlacementBackend chosenBackend() {
    BackendRequest backend = backend();
    return backend == null ? PlacementBackend.FAIRLEAD : backend.backend();
  }

  private PodDevices chosenDevices() {
    DevicesRequest devices = devices();
    return devices == null ? PodDevices.EXTENDED_RESOURCE : devices.devices();
  }

  /** Reports settings that exclude each other. */
  default void checkSettings(Fields given) {
    List<String> labels = Objects.requireNonNullElse(topologyLabels(), List.of());
    if (labels.stream().map(l -> l.substring(l.indexOf('/') + 1)).distinct().count()
        < labels.size()) {
      given.refuse(
          "topologyLabels",
          ProblemCode.INVALID_FIELD,
          "The part after the slash names the level, and two labels name the same level.",
          null);
    }
    boolean chooses = chosenBackend().choosesNodes();
    if (chooses && nodeLabelsAndTaints() != ClusterSettings.NodeLabelPolicy.POOL_AND_QUARANTINE) {
      given.refuse(
          "nodeLabelsAndTaints",
          ProblemCode.CONFLICTING_FIELDS,
          "Another scheduler sees pools and quarantines only as labels and taints of nodes. Set"
              + " nodeLabelsAndTaints to POOL_AND_QUARANTINE, or backend.kind to FAIRLEAD.",
          null);
    }
    if (chooses && chosenDevices().claims()) {
      given.refuse(
          "devices",
          ProblemCode.CONFLICTING_FIELDS,
          "A claim has the UUIDs of GPUs of one node, so Fairlead has to choose the node. Set"
              + " backend.kind to FAIRLEAD, or devices.kind to EXTENDED_RESOURCE.",
          null);
    }
  }

  /** Reports each of these fields. */
  static void refuseAll(Fields cluster, List<String> fields) {
    for (String field : fields) {
      if (cluster.has(field)) {
        cluster.refuse(
            field, ProblemCode.CONFLICTING_FIELDS, field + " is for kind KUBERNETES.", null);
      }
    }
  }

  /**
   * The Gateway of model services.
   *
   * @param namespace namespace of the Gateway
   * @param name name of the Gateway
   * @param proxyNamespace namespace of its pods, which may connect to replicas. The namespace of
   *     the Gateway when absent
   * @param metrics address at which its pods count requests: a rollout is not judged when absent
   * @param gate takes the requests of services without a ready replica. Requests get an error when
   *     absent
   */
  @Schema(name = "GatewayRequest")
  record GatewayRequest(
      @DnsLabel String namespace,
      @Size(min = 1, max = Names.LONGEST_SUBDOMAIN)
          @Pattern(regexp = Names.SUBDOMAIN_PATTERN, message = Names.SUBDOMAIN_RULE)
          String name,
      @DnsLabel @Nullable String proxyNamespace,
      @Nullable MetricsRequest metrics,
      @Nullable GateRequest gate) {
    private TrafficGateway gateway() {
      return new TrafficGateway(
          namespace,
          name,
          Objects.requireNonNullElse(proxyNamespace, namespace),
          metrics == null ? null : new Prometheus(metrics.url(), metrics.caData(), false),
          gate == null ? null : gate.gate());
    }
  }

  /**
   * Address of the metrics of a gateway.
   *
   * @param url https URL of metrics with their path, or of a Prometheus without /api/v1/query, such
   *     as https://prometheus.example.com:9090
   * @param caData base64 of the PEM certificates of its certificate authority, public authorities
   *     when absent
   */
  @Schema(name = "GatewayMetricsRequest")
  record MetricsRequest(
      @JsonDeserialize(using = Address.class) String url,
      @Size(min = 1, max = LONGEST_PART) @Nullable String caData) {}

  /**
   * The Kubernetes Service of the gate, processes of Fairlead with the role gate on this cluster.
   *
   * @param namespace namespace of the Service
   * @param name name of the Service
   * @param port port of the Service, 80 when absent
   */
  @Schema(name = "GateRequest")
  record GateRequest(
      @DnsLabel String namespace,
      @DnsLabel String name,
      @Min(1) @Max(HIGHEST_PORT) @Nullable Integer port) {
    private static final int PORT = 80;

    private TrafficGateway.Gate gate() {
      return new TrafficGateway.Gate(namespace, name, Objects.requireNonNullElse(port, PORT));
    }
  }

  /**
   * Address of a Prometheus with the series of a GPU exporter.
   *
   * @param url https URL of a Prometheus without /api/v1/query, such as
   *     https://prometheus.example.com:9090
   * @param caData base64 of the PEM certificates of its certificate authority, public authorities
   *     when absent
   * @param faults whether faults in the series of its GPU exporter (DCGM) become health events,
   *     false when absent
   */
  @Schema(name = "PrometheusRequest")
  record PrometheusRequest(
      @JsonDeserialize(using = Address.class) String url,
      @Size(min = 1, max = LONGEST_PART) @Nullable String caData,
      @Nullable Boolean faults) {
    private Prometheus address() {
      return new Prometheus(url, caData, Objects.requireNonNullElse(faults, false));
    }
  }

  /**
   * A job starts on the cluster only if it ends, by its maxRuntime or its queue's
   * defaultMaxRuntime, before the window closes.
   *
   * @param from start of the window, no start when absent
   * @param until end of the window, after from, no end when absent
   */
  @Schema(name = "WindowRequest")
  record WindowRequest(@Nullable Instant from, @Nullable Instant until) implements RequestRules {
    @Override
    public void check(Fields given) {
      if (from != null && until != null && !from.isBefore(until)) {
        given.refuse("until", ProblemCode.CONFLICTING_FIELDS, "until must be after from.", null);
      }
    }
  }

  /** Reads an https URL without user and password, and removes a slash at its end. */
  final class Address extends FieldReader<String> {
    private static final int LONGEST = 200;

    /** Callers at this address send a credential, so only TLS is accepted. */
    private static final java.util.regex.Pattern ADDRESS =
        java.util.regex.Pattern.compile("https://[A-Za-z0-9.:\\[\\]-]+(/[A-Za-z0-9._~/-]*)?");

    @Override
    protected Optional<String> read(Value value) {
      return value
          .text(LONGEST)
          .flatMap(text ->
              ADDRESS.matcher(text).matches()
                  ? Optional.of(text.replaceAll("/$", ""))
                  : value.bad("must be an https URL such as https://fairlead.example.com", null));
    }
  }

  /** Reads a key in Kubernetes syntax: a name with an optional DNS prefix and a slash. */
  final class TopologyLabel extends FieldReader<String> {
    @Override
    protected Optional<String> read(Value value) {
      return value
          .text(Labels.LONGEST_KEY)
          .flatMap(key ->
              Labels.isKey(key)
                  ? Optional.of(key)
                  : value.bad("must be a name with a prefix such as example.com/rack", null));
    }
  }

  /** Reads prices of a GPU-hour by model in millionths. */
  final class PricesReader extends FieldReader<SortedMap<String, Long>> {
    private static final int MOST = 64;

    @Override
    protected Optional<SortedMap<String, Long>> read(Value value) {
      SortedMap<String, Long> prices = new TreeMap<>();
      value
          .entries(MOST)
          .forEach((model, price) -> {
            if (!Names.isWord(model)) {
              price.bad("is not a GPU model", null);
            }
            AmountFields.micros(price).ifPresent(micro -> prices.put(model, micro));
          });
      return Optional.of(prices);
    }
  }
}
