package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Labels of the nodes that can mount a volume, as its provisioner set them. */
class ReachingNodesTest {
  private static final String ZONE = "topology.kubernetes.io/zone";
  private static final String HOST = "kubernetes.io/hostname";

  private static ReachingNodes of(String metadata, String spec) {
    String volume =
        "kind: PersistentVolume%napiVersion: v1%nmetadata: %s%nspec: %s%n"
            .formatted(metadata, spec);
    return ReachingNodes.of(Serialization.unmarshal(volume, PersistentVolume.class));
  }

  private static ReachingNodes affine(String... terms) {
    String affinity = "{nodeAffinity: {required: {nodeSelectorTerms: [%s]}}}";
    return of("{}", affinity.formatted(String.join(", ", terms)));
  }

  private static String term(String... expressions) {
    return "{matchExpressions: [" + String.join(", ", expressions) + "]}";
  }

  private static String in(String key, String values) {
    return "{key: %s, operator: In, values: [%s]}".formatted(key, values);
  }

  private static ReachingNodes only(Map<String, String> labels) {
    return new ReachingNodes(new TreeMap<>(labels), null);
  }

  @Test
  void diskOfAZoneOrANodeSelectsByLabels() {
    assertThat(affine(term(in(ZONE, "a")))).isEqualTo(only(Map.of(ZONE, "a")));
    assertThat(affine(term(in(ZONE, "a"), in(HOST, "n1"))))
        .isEqualTo(only(Map.of(ZONE, "a", HOST, "n1")));
    assertThat(affine(term(in(ZONE, "a")), term(in(ZONE, "a"))).labels())
        .containsOnly(Map.entry(ZONE, "a"));
  }

  @Test
  void claimReachableFromEachNodeNeedsNoAffinity() {
    assertThat(of("{}", "{}")).isEqualTo(only(Map.of()));
    assertThat(of("{}", "{nodeAffinity: {}}")).isEqualTo(only(Map.of()));
    assertThat(of("{labels: {team: nlp}}", "{}")).isEqualTo(only(Map.of()));
  }

  /** Volumes of older clusters have their own labels, and names that nodes no longer have. */
  @Test
  void deprecatedLabelsAreTranslated() {
    assertThat(of("{labels: {failure-domain.beta.kubernetes.io/zone: a}}", "{}"))
        .isEqualTo(only(Map.of(ZONE, "a")));
    assertThat(affine(term(in("failure-domain.beta.kubernetes.io/zone", "a"))))
        .isEqualTo(only(Map.of(ZONE, "a")));
    ReachingNodes two = of("{labels: {failure-domain.beta.kubernetes.io/zone: a__b}}", "{}");
    assertThat(two.labels()).isEmpty();
    assertThat(two.beyond()).isEqualTo(ZONE + " In [a, b]");
  }

  /** Fails when a volume is excluded from nodes that reach it, or the others are not reported. */
  @Test
  void unsupportedLabelExpressionsAreReportedInWords() {
    ReachingNodes twoZones = affine(term(in(ZONE, "a, b"), in("region", "eu")));
    assertThat(twoZones.labels()).containsOnly(Map.entry("region", "eu"));
    assertThat(twoZones.beyond()).isEqualTo(ZONE + " In [a, b]");

    ReachingNodes twoTerms =
        affine(term(in(ZONE, "a"), in("region", "eu")), term(in(ZONE, "b"), in("region", "eu")));
    assertThat(twoTerms.labels()).containsOnly(Map.entry("region", "eu"));
    assertThat(twoTerms.beyond()).contains(ZONE + " In [a]", " or ", ZONE + " In [b]");

    assertThat(affine(term("{key: slow, operator: Exists}")).beyond()).isEqualTo("slow Exists []");
    assertThat(affine(term("{key: zone, operator: NotIn, values: [a]}")).labels()).isEmpty();
    ReachingNodes field = affine("{matchFields: [" + in("metadata.name", "n1") + "]}");
    assertThat(field.labels()).isEmpty();
    assertThat(field.beyond()).isEqualTo("metadata.name In [n1]");
  }

  /** Fails when a selector uses a label that Fairlead reads from no node: no job would ever run. */
  @Test
  void labelUnknownOnNodesIsNotQueried() {
    ReachingNodes feature = affine(term(in("feature.node.kubernetes.io/nvme", "yes")));
    assertThat(feature.labels()).isEmpty();
    assertThat(feature.beyond()).contains("feature.node.kubernetes.io/nvme");
    assertThat(affine(term(in(ZONE, "a"), in(ZONE, "b"))).labels())
        .containsOnly(Map.entry(ZONE, "a"));
    assertThat(affine(term(in(ZONE, "a"), in(ZONE, "b"))).beyond()).isEqualTo(ZONE + " In [b]");
  }
}
