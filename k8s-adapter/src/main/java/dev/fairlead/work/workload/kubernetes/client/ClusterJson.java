package dev.fairlead.work.workload.kubernetes.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/**
 * Reads each object that an API server stores. With the parser's usual limits, one custom resource
 * with a deep object or a long field name would fail the whole list.
 */
final class ClusterJson {
  /**
   * An API server accepts 10,000 levels. A list has three more, and managed fields repeat names.
   */
  private static final int DEEPEST = 20_000;

  private static final KubernetesSerialization SHARED =
      new KubernetesSerialization(
          new ObjectMapper(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(DEEPEST)
                          .maxNameLength(Integer.MAX_VALUE)
                          .build())
                  .build()),
          true);

  private ClusterJson() {}

  static KubernetesSerialization shared() {
    return SHARED;
  }
}
