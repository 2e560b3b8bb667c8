package dev.fairlead.work.workload.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fairlead.work.workload.kubernetes.pod.PodSpecs;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The rules of Pod Security <i>restricted</i>, those of <i>baseline</i> among them, as
 * https://kubernetes.io/docs/concepts/security/pod-security-standards lists them: written from that
 * page, not from {@link PodSpecs}.
 */
public final class PodSecurity {
  private static final Set<String> VOLUMES =
      Set.of(
          "configMap",
          "csi",
          "downwardAPI",
          "emptyDir",
          "ephemeral",
          "persistentVolumeClaim",
          "projected",
          "secret");
  private static final Set<String> SYSCTLS =
      Set.of(
          "kernel.shm_rmid_forced",
          "net.ipv4.ip_local_port_range",
          "net.ipv4.ip_unprivileged_port_start",
          "net.ipv4.tcp_syncookies",
          "net.ipv4.ping_group_range",
          "net.ipv4.ip_local_reserved_ports",
          "net.ipv4.tcp_keepalive_time",
          "net.ipv4.tcp_fin_timeout",
          "net.ipv4.tcp_keepalive_intvl",
          "net.ipv4.tcp_keepalive_probes");
  private static final Set<String> SELINUX =
      Set.of("", "container_t", "container_init_t", "container_kvm_t", "container_engine_t");
  private static final List<String> CONTAINERS =
      List.of("containers", "initContainers", "ephemeralContainers");
  private static final List<String> HOOKS =
      List.of(
          "/livenessProbe/httpGet",
          "/readinessProbe/httpGet",
          "/startupProbe/httpGet",
          "/livenessProbe/tcpSocket",
          "/readinessProbe/tcpSocket",
          "/startupProbe/tcpSocket",
          "/lifecycle/postStart/httpGet",
          "/lifecycle/preStop/httpGet",
          "/lifecycle/postStart/tcpSocket",
          "/lifecycle/preStop/tcpSocket");
  private final List<String> broken = new ArrayList<>();

  private PodSecurity() {}

  /** The rules that the pod breaks, by the names of the page. */
  public static List<String> broken(JsonNode pod) {
    PodSecurity rules = new PodSecurity();
    rules.look(pod);
    return rules.broken;
  }

  private void rule(String name, boolean kept) {
    if (!kept) {
      broken.add(name);
    }
  }

  private void look(JsonNode pod) {
    JsonNode spec = pod.path("spec");
    JsonNode own = spec.path("securityContext");
    rule("Host Namespaces", no(spec, "hostNetwork") && no(spec, "hostPID") && no(spec, "hostIPC"));
    for (JsonNode sysctl : own.path("sysctls")) {
      rule("Sysctls", SYSCTLS.contains(sysctl.path("name").asText()));
    }
    for (JsonNode volume : spec.path("volumes")) {
      volume
          .fieldNames()
          .forEachRemaining(
              field -> rule("Volume Types", field.equals("name") || VOLUMES.contains(field)));
    }
    pod.at("/metadata/annotations")
        .fieldNames()
        .forEachRemaining(annotation ->
            rule(
                "AppArmor",
                !annotation.startsWith("container.apparmor.security.beta.kubernetes.io")));
    both(own);
    for (String kind : CONTAINERS) {
      for (JsonNode container : spec.path(kind)) {
        container(own, container);
      }
    }
  }

  private static boolean no(JsonNode of, String field) {
    return !of.path(field).asBoolean(false);
  }

  /** The common fields of a pod and a container. */
  private void both(JsonNode security) {
    rule("HostProcess", no(security.path("windowsOptions"), "hostProcess"));
    String seccomp = security.at("/seccompProfile/type").asText("");
    rule("Seccomp", Set.of("", "RuntimeDefault", "Localhost").contains(seccomp));
    String armor = security.at("/appArmorProfile/type").asText("");
    rule("AppArmor", Set.of("", "RuntimeDefault", "Localhost").contains(armor));
    JsonNode selinux = security.path("seLinuxOptions");
    rule(
        "SELinux",
        SELINUX.contains(selinux.path("type").asText(""))
            && selinux.path("user").asText("").isEmpty()
            && selinux.path("role").asText("").isEmpty());
    rule("Running as Non-root user", security.path("runAsUser").asLong(1) != 0);
  }

  private void container(JsonNode pod, JsonNode container) {
    JsonNode security = container.path("securityContext");
    both(security);
    rule("Privileged Containers", no(security, "privileged"));
    rule(
        "Privilege Escalation",
        security.has("allowPrivilegeEscalation") && no(security, "allowPrivilegeEscalation"));
    rule("/proc Mount Type", Set.of("", "Default").contains(security.path("procMount").asText("")));
    rule(
        "Running as Non-root",
        security.has("runAsNonRoot")
            ? security.path("runAsNonRoot").asBoolean()
            : pod.path("runAsNonRoot").asBoolean(false));
    rule("Seccomp", security.has("seccompProfile") || pod.has("seccompProfile"));
    boolean dropsAll = false;
    for (JsonNode dropped : security.at("/capabilities/drop")) {
      dropsAll |= dropped.asText().equals("ALL");
    }
    rule("Capabilities", dropsAll);
    for (JsonNode added : security.at("/capabilities/add")) {
      rule("Capabilities", added.asText().equals("NET_BIND_SERVICE"));
    }
    for (JsonNode port : container.path("ports")) {
      rule("Host Ports", port.path("hostPort").asInt(0) == 0);
    }
    for (String hook : HOOKS) {
      rule("Host Probes", container.at(hook).path("host").asText("").isEmpty());
    }
  }
}
