package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterSettings.Consolidation;
import dev.fairlead.fleet.cluster.ClusterSettings.NodeLabelPolicy;
import dev.fairlead.fleet.cluster.ClusterSettings.Pinning;
import dev.fairlead.fleet.cluster.ClusterSettings.Scoring;
import dev.fairlead.fleet.cluster.Window;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.fleet.cluster.connection.TrafficGateway;
import dev.fairlead.fleet.cluster.service.ClusterDraft;
import dev.fairlead.kernel.body.AmountFields;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.CapacityType;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Reads registrations of clusters. */
final class ClusterReader {
  private static final int LONGEST_NAME = 40;
  private static final int LONGEST_KUBECONFIG = 256 * 1024;
  private static final int LONGEST_PART = 64 * 1024;
  private static final int MOST_POOLS = 32;
  private static final int MOST_NODES = 10_000;
  private static final int MOST_GPUS = 16;
  private static final int MOST_PRICES = 64;
  private static final int MOST_LEVELS = 8;
  private static final int LONGEST_LABEL = 63;
  private static final int HIGHEST_PORT = 65_535;
  private static final int GATE_PORT = 80;
  private static final int LONGEST_LABEL_KEY = 317;
  private static final int LONGEST_ADDRESS = 200;

  /**
   * Callers at this address send a credential, so only TLS without user and password is accepted.
   */
  private static final Pattern ADDRESS =
      Pattern.compile("https://[A-Za-z0-9.:\\[\\]-]+(/[A-Za-z0-9._~/-]*)?");

  private static final List<String> KUBERNETES =
      List.of("topologyLabels", "pinning", "callback", "gateway", "backend", "devices");

  private ClusterReader() {}

  /** Returns the draft. Valid only if no problem was reported. */
  static ClusterDraft read(Fields cluster) {
    Optional<String> name =
        cluster.required("name", "a DNS label.").flatMap(v -> Names.label(v, LONGEST_NAME));
    ClusterKind kind =
        cluster
            .get("kind")
            .flatMap(v -> v.choice(ClusterKind.class))
            .orElse(ClusterKind.KUBERNETES);
    Optional<String> kubeconfig = kubeconfig(cluster);
    Optional<Connection> parts = connectionOf(cluster, kind);
    Optional<List<FleetPool>> fleet = cluster.get("fleet").map(ClusterReader::fleet);
    CapacityType capacity = capacity(cluster);
    SortedMap<String, Long> prices = prices(cluster);
    ClusterSettings settings = settings(cluster);
    oneWay(cluster, kind);
    cluster.done();
    Optional<Connection> connection =
        fleet.<Connection>map(Connection.Simulated::new).or(() -> parts);
    return new ClusterDraft(
        name.orElse(""),
        kind,
        kubeconfig.orElse(null),
        connection.orElse(null),
        capacity,
        prices,
        settings);
  }

  static Optional<String> kubeconfig(Fields cluster) {
    return cluster.get("kubeconfig").flatMap(v -> v.text(LONGEST_KUBECONFIG));
  }

  static Optional<Connection> connectionOf(Fields cluster, ClusterKind kind) {
    return cluster
        .get("connection")
        .flatMap(Value::fields)
        .flatMap(
            parts -> kind == ClusterKind.SLURM ? slurm(parts) : Optional.of(connection(parts)));
  }

  private static Optional<Connection> slurm(Fields parts) {
    Optional<String> server = part(parts.required("server", "the https URL of slurmrestd."));
    Optional<String> ca = part(parts.required("caData", "base64 of the CA's PEM."));
    Optional<Value> given = parts.required("token", "a JWT of scontrol token.");
    Optional<Secret> token = part(given).map(Secret::new);
    Optional<String> user = token.flatMap(Connection.Slurm::user);
    if (token.isPresent() && user.isEmpty()) {
      parts.refuse(
          "token",
          ProblemCode.INVALID_FIELD,
          "The token is not a JWT of Slurm with the claim sun. scontrol token prints one.",
          null);
    }
    parts.done();
    return token.flatMap(secret ->
        user.map(name -> new Connection.Slurm(server.orElse(""), ca.orElse(""), name, secret)));
  }

  static CapacityType capacity(Fields cluster) {
    return cluster
        .get("capacityType")
        .flatMap(v -> v.choice(CapacityType.class))
        .orElse(CapacityType.RESERVED);
  }

  static ClusterSettings settings(Fields cluster) {
    List<String> labels =
        cluster.get("topologyLabels").map(v -> v.items(MOST_LEVELS)).orElse(List.of()).stream()
            .map(ClusterReader::labelKey)
            .flatMap(Optional::stream)
            .toList();
    long levels = labels.stream().map(l -> l.substring(l.indexOf('/') + 1)).distinct().count();
    if (levels < labels.size()) {
      cluster.refuse(
          "topologyLabels",
          ProblemCode.INVALID_FIELD,
          "The part after the slash names the level, and two labels name the same level.",
          null);
    }
    Optional<Pinning> pinning = cluster.get("pinning").flatMap(v -> v.choice(Pinning.class));
    Optional<String> fabric = cluster.get("rdmaResource").flatMap(ClusterReader::labelKey);
    Optional<Scoring> scoring = cluster.get("scoring").flatMap(v -> v.choice(Scoring.class));
    PlacementBackend backend = BackendReader.read(cluster);
    return new ClusterSettings(
        labels,
        pinning.orElse(Pinning.DIRECT),
        fabric.orElse(null),
        scoring.orElse(Scoring.DEFAULT),
        cluster
            .get("window")
            .flatMap(Value::fields)
            .map(ClusterReader::window)
            .orElse(Window.ALWAYS),
        cluster
            .get("consolidation")
            .flatMap(v -> v.choice(Consolidation.class))
            .orElse(Consolidation.NEVER),
        cluster.get("callback").flatMap(ClusterReader::address).orElse(null),
        cluster
            .get("prometheus")
            .flatMap(Value::fields)
            .flatMap(fields -> prometheus(fields, true))
            .orElse(null),
        cluster
            .get("nodeLabelsAndTaints")
            .flatMap(v -> v.choice(NodeLabelPolicy.class))
            .orElse(NodeLabelPolicy.NEVER),
        cluster.get("gateway").flatMap(Value::fields).flatMap(ClusterReader::gateway).orElse(null),
        backend,
        DevicesReader.read(cluster, backend));
  }

  private static Optional<TrafficGateway> gateway(Fields gateway) {
    Optional<String> namespace =
        gateway
            .required("namespace", "the namespace of the Gateway.")
            .flatMap(v -> Names.label(v, LONGEST_LABEL));
    Optional<String> name =
        gateway.required("name", "the name of the Gateway.").flatMap(Names::subdomain);
    Optional<String> proxies =
        gateway.get("proxyNamespace").flatMap(v -> Names.label(v, LONGEST_LABEL));
    Optional<Prometheus> metrics =
        gateway.get("metrics").flatMap(Value::fields).flatMap(fields -> prometheus(fields, false));
    Optional<TrafficGateway.Gate> gate =
        gateway.get("gate").flatMap(Value::fields).flatMap(ClusterReader::gate);
    gateway.done();
    return namespace.flatMap(space ->
        name.map(named ->
            new TrafficGateway(
                space, named, proxies.orElse(space), metrics.orElse(null), gate.orElse(null))));
  }

  private static Optional<TrafficGateway.Gate> gate(Fields gate) {
    Optional<String> namespace =
        gate.required("namespace", "the namespace of the gate's Service.")
            .flatMap(v -> Names.label(v, LONGEST_LABEL));
    Optional<String> name =
        gate.required("name", "the name of the gate's Service.")
            .flatMap(v -> Names.label(v, LONGEST_LABEL));
    int port = gate.get("port").flatMap(v -> v.integer(1, HIGHEST_PORT)).orElse(GATE_PORT);
    gate.done();
    return namespace.flatMap(
        space -> name.map(named -> new TrafficGateway.Gate(space, named, port)));
  }

  /**
   * @param exporter whether it may scrape a GPU exporter
   */
  private static Optional<Prometheus> prometheus(Fields prometheus, boolean exporter) {
    Optional<String> url =
        prometheus.required("url", "the https URL.").flatMap(ClusterReader::address);
    Optional<String> ca = prometheus.get("caData").flatMap(v -> v.text(LONGEST_PART));
    boolean faults = exporter && prometheus.get("faults").flatMap(Value::flag).orElse(false);
    prometheus.done();
    return url.map(address -> new Prometheus(address, ca.orElse(null), faults));
  }

  /** Without a trailing slash. */
  private static Optional<String> address(Value value) {
    Optional<String> text = value.text(LONGEST_ADDRESS);
    return text.filter(ADDRESS.asMatchPredicate())
        .map(address -> address.replaceAll("/$", ""))
        .or(() ->
            text.isEmpty()
                ? text
                : value.bad("must be an https URL such as https://fairlead.example.com", null));
  }

  private static Window window(Fields window) {
    Instant from = window.get("from").flatMap(Value::time).orElse(null);
    Instant until = window.get("until").flatMap(Value::time).orElse(null);
    if (from != null && until != null && !from.isBefore(until)) {
      window.refuse("until", ProblemCode.CONFLICTING_FIELDS, "until must be after from.", null);
    }
    window.done();
    return new Window(from, until);
  }

  /**
   * Kubernetes syntax: a name of at most 63 characters, and an optional DNS prefix with a slash.
   */
  private static Optional<String> labelKey(Value value) {
    Optional<String> text = value.text(LONGEST_LABEL_KEY);
    return text.filter(
            key -> {
              int slash = key.indexOf('/');
              return Names.isWord(key.substring(slash + 1))
                  && (slash < 0 || Names.isSubdomain(key.substring(0, slash)));
            })
        .or(() ->
            text.isEmpty()
                ? text
                : value.bad("must be a name with a prefix such as example.com/rack", null));
  }

  private static void oneWay(Fields cluster, ClusterKind kind) {
    boolean simulated = kind == ClusterKind.SIMULATED;
    if (kind == ClusterKind.SLURM) {
      refuseAll(cluster, KUBERNETES);
      if (!cluster.has("connection") || cluster.has("kubeconfig") || cluster.has("fleet")) {
        cluster.refuse(
            "connection",
            ProblemCode.CONFLICTING_FIELDS,
            "A SLURM cluster has a connection with server, caData and token, and no kubeconfig or fleet.",
            null);
      }
      return;
    }
    int ways = (cluster.has("kubeconfig") ? 1 : 0) + (cluster.has("connection") ? 1 : 0);
    if (simulated) {
      refuseAll(cluster, KUBERNETES);
    }
    if (simulated && (ways > 0 || !cluster.has("fleet"))) {
      cluster.refuse(
          "fleet",
          ProblemCode.CONFLICTING_FIELDS,
          "A SIMULATED cluster has a fleet, and no kubeconfig or connection.",
          null);
    } else if (!simulated && (ways != 1 || cluster.has("fleet"))) {
      cluster.refuse(
          "kubeconfig",
          ProblemCode.CONFLICTING_FIELDS,
          "Set exactly one of kubeconfig and connection. fleet is only for kind SIMULATED.",
          null);
    }
  }

  /** Fields of Kubernetes clusters only. */
  static void refuseAll(Fields cluster, List<String> fields) {
    for (String field : fields) {
      if (cluster.has(field)) {
        cluster.refuse(
            field, ProblemCode.CONFLICTING_FIELDS, field + " is for kind KUBERNETES.", null);
      }
    }
  }

  private static Connection connection(Fields parts) {
    Optional<String> server = part(parts.required("server", "the https URL of the API server."));
    Optional<String> ca = part(parts.required("caData", "base64 of the CA's PEM."));
    Optional<String> token = part(parts.get("token"));
    Optional<String> certificate = part(parts.get("clientCertificateData"));
    Optional<String> key = part(parts.get("clientKeyData"));
    parts.done();
    return new Connection.Kubernetes(
        server.orElse(""),
        ca.orElse(""),
        token.map(Secret::new).orElse(null),
        certificate.orElse(null),
        key.map(Secret::new).orElse(null));
  }

  private static Optional<String> part(Optional<Value> value) {
    return value.flatMap(v -> v.secret(LONGEST_PART));
  }

  private static List<FleetPool> fleet(Value value) {
    List<Value> items = value.items(MOST_POOLS);
    List<FleetPool> pools =
        items.stream()
            .map(v -> v.fields().flatMap(ClusterReader::pool))
            .flatMap(Optional::stream)
            .toList();
    if (value.isList() && items.isEmpty()) {
      value.bad("must have at least one pool", null);
    }
    int nodes = pools.stream().mapToInt(FleetPool::nodes).sum();
    if (nodes > MOST_NODES) {
      value.refuse(
          ProblemCode.LIMIT_EXCEEDED,
          "The fleet has " + nodes + " nodes; at most " + MOST_NODES + " are allowed",
          null);
    }
    return pools;
  }

  private static Optional<FleetPool> pool(Fields pool) {
    Optional<Integer> nodes =
        pool.required("nodes", "how many.").flatMap(v -> v.integer(1, MOST_NODES));
    int gpus = pool.get("gpusPerNode").flatMap(v -> v.integer(0, MOST_GPUS)).orElse(0);
    Optional<String> model = pool.get("model").flatMap(Names::word);
    if (gpus > 0 && model.isEmpty()) {
      pool.required("model", "the model of its GPUs, for example H100.");
    }
    int most = nodes.orElse(MOST_NODES);
    int blocks = pool.get("blocks").flatMap(v -> v.integer(1, most)).orElse(1);
    int racks = pool.get("racksPerBlock").flatMap(v -> v.integer(1, most)).orElse(1);
    pool.done();
    return nodes.map(n -> new FleetPool(n, gpus, model.orElse(""), blocks, racks));
  }

  static SortedMap<String, Long> prices(Fields cluster) {
    SortedMap<String, Long> prices = new TreeMap<>();
    cluster
        .get("pricePerGpuHour")
        .map(v -> v.entries(MOST_PRICES))
        .orElse(new TreeMap<>())
        .forEach((model, value) -> {
          if (!Names.isWord(model)) {
            value.bad("is not a GPU model", null);
          }
          AmountFields.micros(value).ifPresent(micro -> prices.put(model, micro));
        });
    return prices;
  }
}
