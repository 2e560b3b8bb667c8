package dev.fairlead.dashboard;

import dev.fairlead.dashboard.Dashboard.Panel;
import java.util.List;

/**
 * Panels that are composed for one question. The GPU queries use the default metrics of the DCGM
 * exporter. The labels {@code pod} and {@code namespace} name the holder of a GPU.
 */
final class ComposedPanels {
  private static final String PERCENT = "percent";
  private static final String RATIO = "percentunit";
  private static final String COUNT = "short";
  private static final String MEBIBYTES = "mbytes";
  private static final String WATT = "watt";
  private static final String CELSIUS = "celsius";
  private static final String MODEL = "modelName";
  private static final String HELD = "{pod=~\"fl-.+\"}";

  /** Members of one attempt: their pods begin with its id. */
  private static final String OF_ATTEMPT = "{pod=~\"fl-$attempt-.+\"}";

  private ComposedPanels() {}

  /** Shown with the distance between a service level objective and its alert threshold. */
  static List<Panel> slo() {
    return List.of(
        new Panel(
            "Submits answered",
            "Part that had a different answer than an error of the server; FairleadSubmitFails at 0.99",
            "1 - fairlead:submit_errors:ratio_rate5m",
            RATIO,
            List.of()),
        new Panel(
                "Submits answered, 30 days",
                "The same over 30 days",
                "1 - avg_over_time(fairlead:submit_errors:ratio_rate5m[30d])",
                RATIO,
                List.of())
            .as(Dashboard.Type.GAUGE),
        new Panel(
            "Submits within a second",
            "FairleadSubmitSlow at 0.95",
            "1 - fairlead:submit_slow:ratio_rate5m",
            RATIO,
            List.of()),
        new Panel(
                "Submits within a second, 30 days",
                "The same over 30 days",
                "1 - avg_over_time(fairlead:submit_slow:ratio_rate5m[30d])",
                RATIO,
                List.of())
            .as(Dashboard.Type.GAUGE),
        new Panel(
            "Starts within five minutes",
            "Of placed attempts until all members run; FairleadStartSlow at 0.9",
            "1 - fairlead:start_slow:ratio_rate15m",
            RATIO,
            List.of()),
        new Panel(
                "Starts within five minutes, 30 days",
                "The same over 30 days",
                "1 - avg_over_time(fairlead:start_slow:ratio_rate15m[30d])",
                RATIO,
                List.of())
            .as(Dashboard.Type.GAUGE),
        new Panel(
            "Wait of placed jobs, 95th percentile",
            "From when a job began to wait to the plan that places it; most of it is a lack of"
                + " room",
            "histogram_quantile(0.95, sum by (le)"
                + " (rate(fairlead_scheduling_wait_seconds_bucket[$__rate_interval])))",
            "s",
            List.of()),
        new Panel(
            "Age of the world",
            "The scheduler plans on what it read so long ago; FairleadSchedulerLate at 60 s",
            "max(fairlead_world_age_seconds)",
            "s",
            List.of()));
  }

  /** Utilisation of all GPUs, and of GPUs held by jobs. */
  static List<Panel> fleet() {
    return List.of(
        new Panel(
            "GPUs by use",
            "As the scheduler sees them",
            "sum by (model, state) (max by (cluster, model, state) (fairlead_gpus))",
            COUNT,
            List.of("model", "state")),
        new Panel(
            "Use of all GPUs",
            "Mean by model",
            "avg by (modelName) (DCGM_FI_DEV_GPU_UTIL)",
            PERCENT,
            List.of(MODEL)),
        new Panel(
            "Use of GPUs that jobs hold",
            "Mean by model",
            "avg by (modelName) (DCGM_FI_DEV_GPU_UTIL" + HELD + ")",
            PERCENT,
            List.of(MODEL)),
        new Panel(
            "GPUs that jobs hold and do not use",
            "Below 5 percent for half an hour, by namespace; `fairlead usage idle` names the jobs",
            "count by (namespace) (avg_over_time(DCGM_FI_DEV_GPU_UTIL" + HELD + "[30m]) < 5)",
            COUNT,
            List.of("namespace")),
        new Panel(
            "GPU memory in use",
            "Part by model",
            "sum by (modelName) (DCGM_FI_DEV_FB_USED) / (sum by (modelName) (DCGM_FI_DEV_FB_USED)"
                + " + sum by (modelName) (DCGM_FI_DEV_FB_FREE))",
            RATIO,
            List.of(MODEL)),
        new Panel(
            "Power",
            "By model",
            "sum by (modelName) (DCGM_FI_DEV_POWER_USAGE)",
            WATT,
            List.of(MODEL)),
        new Panel(
            "Hottest nodes",
            "Ten, by their hottest GPU",
            "topk(10, max by (Hostname) (DCGM_FI_DEV_GPU_TEMP))",
            CELSIUS,
            List.of("Hostname")),
        new Panel(
                "Errors of GPUs",
                "The last XID of each GPU that has one; docs/reference/faults.md lists the"
                    + " effect of each XID",
                "max by (Hostname, gpu) (DCGM_FI_DEV_XID_ERRORS) > 0",
                COUNT,
                List.of("Hostname", "gpu"))
            .as(Dashboard.Type.TABLE));
  }

  /** GPU utilisation of the members of one attempt. A slow member delays its gang. */
  static List<Panel> job() {
    return List.of(
        member("Use of each GPU", "By member", "max", "DCGM_FI_DEV_GPU_UTIL", PERCENT),
        new Panel(
            "Use, slowest and mean",
            "Far apart: one member holds up the others",
            "min(DCGM_FI_DEV_GPU_UTIL"
                + OF_ATTEMPT
                + ") / avg(DCGM_FI_DEV_GPU_UTIL"
                + OF_ATTEMPT
                + ")",
            RATIO,
            List.of()),
        member("Memory of each GPU", "By member", "max", "DCGM_FI_DEV_FB_USED", MEBIBYTES),
        member("Power of each GPU", "By member", "max", "DCGM_FI_DEV_POWER_USAGE", WATT),
        member("Temperature of each GPU", "By member", "max", "DCGM_FI_DEV_GPU_TEMP", CELSIUS),
        member("Last error of each GPU", "XID; 0 is none", "max", "DCGM_FI_DEV_XID_ERRORS", COUNT));
  }

  private static Panel member(String title, String meaning, String by, String series, String unit) {
    return new Panel(
        title,
        meaning,
        by + " by (pod, gpu) (" + series + OF_ATTEMPT + ")",
        unit,
        List.of("pod", "gpu"));
  }
}
