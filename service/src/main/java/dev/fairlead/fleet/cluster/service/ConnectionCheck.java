package dev.fairlead.fleet.cluster.service;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.connection.AddressCheck;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.cluster.connection.KubeconfigReader;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.fleet.cluster.connection.TrafficGateway;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Validates the connection of a registration. */
@Component
public class ConnectionCheck {
  private final KubeconfigReader reader;
  private final AddressCheck addresses;

  public ConnectionCheck(KubeconfigReader reader, AddressCheck addresses) {
    this.reader = reader;
    this.addresses = addresses;
  }

  /**
   * Checks the addresses of the Prometheus server and of the metrics of the gateway.
   *
   * @throws Refusal UNSAFE_ADDRESS for an address that is not allowed
   */
  void of(ClusterSettings settings) {
    refuse(settings.prometheus(), "This Prometheus is not queried: ", "/prometheus/url");
    TrafficGateway gateway = settings.gateway();
    if (gateway != null) {
      refuse(
          gateway.metrics(),
          "The metrics of this gateway cannot be read: ",
          "/gateway/metrics/url");
    }
  }

  private void refuse(@Nullable Prometheus address, String what, String field) {
    String why = address == null ? null : addresses.refuses(address).orElse(null);
    if (why != null) {
      throw Refusal.field(ProblemCode.UNSAFE_ADDRESS, field, what + why + ".", null);
    }
  }

  /**
   * Returns the validated connection of the new cluster.
   *
   * @throws Refusal UNSAFE_KUBECONFIG, UNSAFE_ADDRESS or INVALID_FIELD
   */
  public Connection of(NewCluster wanted) {
    return of(wanted.kubeconfig(), wanted.connection());
  }

  /**
   * Returns the validated connection.
   *
   * @throws Refusal the same codes as {@link #of(NewCluster)}
   */
  Connection of(@Nullable String kubeconfig, @Nullable Connection given) {
    return switch (given) {
      case Connection.Simulated simulated -> simulated;
      case Connection.Kubernetes parts -> safe(reader.check(parts));
      case Connection.Slurm slurm -> slurm(slurm);
      case null -> safe(reader.read(present(kubeconfig)));
    };
  }

  private Connection slurm(Connection.Slurm slurm) {
    refuse(
        new Prometheus(slurm.server(), slurm.caData(), false),
        "This slurmrestd is not called: ",
        "/connection/server");
    return slurm;
  }

  private static Connection safe(KubeconfigReader.Answer answer) {
    return switch (answer) {
      case KubeconfigReader.Answer.Accepted accepted -> accepted.connection();
      case KubeconfigReader.Answer.Refused refused ->
          throw new Refusal(
              refused.problems().getFirst().code(),
              refused.problems().getFirst().detail(),
              refused.problems());
    };
  }

  private static String present(@Nullable String kubeconfig) {
    if (kubeconfig != null) {
      return kubeconfig;
    }
    throw Refusal.field(
        "/kubeconfig", "Set kubeconfig (its text) or connection, or kind SIMULATED with a fleet.");
  }
}
