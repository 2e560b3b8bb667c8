package dev.fairlead.e2e;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A real Prometheus that scrapes the metrics of a test. */
abstract class PrometheusScene {
  @TempDir private Path directory;
  TestPrometheus prometheus;

  abstract TestPrometheus.Target[] targets();

  @BeforeEach
  void aPrometheusThatScrapes() throws IOException, InterruptedException {
    prometheus = new TestPrometheus(directory, targets());
  }

  @AfterEach
  void itEnds() throws InterruptedException {
    if (prometheus != null) {
      prometheus.close();
    }
  }
}
