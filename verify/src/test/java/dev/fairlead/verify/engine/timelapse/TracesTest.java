package dev.fairlead.verify.engine.timelapse;

import static dev.fairlead.kernel.text.Texts.output;
import static dev.fairlead.kernel.text.Texts.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.verify.BadInput;
import dev.fairlead.verify.engine.timelapse.trace.Arrival;
import dev.fairlead.verify.engine.timelapse.trace.ReplayPlan;
import dev.fairlead.verify.engine.timelapse.trace.Sharing;
import dev.fairlead.verify.engine.timelapse.trace.Trace;
import dev.fairlead.verify.engine.timelapse.trace.Traces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TracesTest {
  private static final String PODS =
      "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,creation_time,deletion_time,scheduled_time\n";
  private static final String NODES = "sn,cpu_milli,memory_mib,gpu,model\n";

  @TempDir Path directory;

  @Test
  void openb_pods_are_sorted_by_time_with_their_runtime() throws IOException {
    Trace trace =
        Traces.read(
            "openb",
            files(
                PODS + "p1,1000,2048,1,500,,LS,20,50,30\np0,1000,2048,2,1000,T4|V100,BE,5,10,\n",
                NODES + "n0,64000,262144,2,T4\n"));

    assertThat(trace.gpus()).isEqualTo(2);
    assertThat(trace.jobs()).extracting(Arrival::name).containsExactly("p0", "p1");
    assertThat(trace.jobs()).extracting(Arrival::run).containsExactly(5L, 20L);
    assertThat(trace.jobs().getFirst().gpu().models()).containsExactly("T4", "V100");
    assertThat(trace.weights()).containsOnlyKeys("LS", "BE");
  }

  @Test
  void a_list_without_times_is_refused_with_the_column() throws IOException {
    ReplayPlan.Files files =
        files(
            "name,cpu_milli,memory_mib,num_gpu,gpu_milli\np0,1,1,1,500\n",
            NODES + "n0,64000,262144,2,T4\n");

    assertThatThrownBy(() -> Traces.read("openb", files))
        .isInstanceOf(BadInput.class)
        .hasMessageContainingAll("jobs.csv:1: column creation_time", "seconds");
  }

  @Test
  void a_bad_number_is_refused_with_file_line_and_column() throws IOException {
    ReplayPlan.Files files =
        files(
            "job_id,num_gpu,submit_time,duration\n0,1,0,5\n1,many,0,5\n",
            "num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n"
                + "1,2,4,40,256\n");

    assertThatThrownBy(() -> Traces.read("tiresias", files))
        .isInstanceOf(BadInput.class)
        .hasMessageContainingAll("jobs.csv:3: column num_gpu", "1 to 10000", "\"many\"");
  }

  @Test
  void a_job_larger_than_a_node_is_a_gang() throws IOException {
    Trace trace =
        Traces.read(
            "tiresias",
            files(
                "job_id,num_gpu,submit_time,duration\n0,16,7,5\n",
                "num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n"
                    + "2,2,4,40,256\n"));

    assertThat(trace.gpus()).isEqualTo(16);
    assertThat(trace.jobs().getFirst().members()).isEqualTo(4);
  }

  @Test
  void services_are_placed_under_their_caps() throws IOException {
    String head =
        "instance_sn,role,app_name,cpu_request,gpu_request,memory_request,max_instance_per_node\n";
    StringBuilder rows = new StringBuilder(head);
    for (int i = 0; i < 9; i++) {
      rows.append("i").append(i).append(",HN,app_0,12,1,120.0,2\n");
    }

    List<String> lines = Dlrm.place(files(rows.toString(), ""));

    assertThat(lines.getFirst()).contains("dlrm: 4 of 9 instances of 1 ", "on 2 nodes");
    assertThat(lines.getLast()).satisfies(output("traces.caps-instances-per-node", 2, 2));
  }

  @Test
  void tables_and_pictures_are_written() throws Exception {
    Trace trace =
        Traces.read(
            "openb",
            files(
                PODS + "p0,1000,2048,1,500,,LS,0,9000,0\np1,1000,2048,2,1000,,BE,5,8000,5\n",
                NODES + "n0,64000,262144,2,T4\n"));
    var runs = new PolicyComparison(trace, 10).runs(List.of(Sharing.QUOTA, Sharing.BORROW));

    runs.values().forEach(run -> CsvTables.write(run, directory));
    Charts.write(runs.values(), directory);

    assertThat(directory.resolve("borrow-jobs.csv")).content().contains("p1,BE,2.000,5,7995");
    assertThat(directory.resolve("borrow-queues.csv")).content().contains("LS,1,1,0,0,0");
    assertThat(directory.resolve("borrow-timeline.csv")).content().contains("0,2,");
    for (String picture : List.of("borrow-cluster.svg", "waits.svg", "fairness.svg")) {
      var svg =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(directory.resolve(picture).toFile());
      assertThat(svg.getElementsByTagName("path").getLength()).as(picture).isGreaterThan(1);
    }
  }

  @Test
  void arguments_are_refused_by_name() {
    assertThatThrownBy(() -> arguments("--trace", "borg"))
        .satisfies(problem("traces.trace-expected-one-philly", "TRACE", "borg"));
    assertThatThrownBy(() -> arguments("--shrink", "0"))
        .satisfies(problem("traces.shrink-expected-whole-number", "SHRINK", 1, 0));
    assertThatThrownBy(() -> arguments("--file", "x.csv"))
        .hasMessageContaining("expected together with TRACE=");
  }

  private ReplayPlan arguments(String... args) {
    return ReplayPlan.of(directory, directory, ReplayPlan.program("", "").arguments(args));
  }

  private ReplayPlan.Files files(String jobs, String nodes) throws IOException {
    Path jobList = Files.writeString(directory.resolve("jobs.csv"), jobs);
    Path nodeList = Files.writeString(directory.resolve("nodes.csv"), nodes);
    return new ReplayPlan.Files(directory, jobList, nodeList);
  }
}
