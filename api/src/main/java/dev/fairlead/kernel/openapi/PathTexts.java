package dev.fairlead.kernel.openapi;

import org.jspecify.annotations.Nullable;

/** Descriptions of names and ids in paths, with an example from a fresh demo. */
final class PathTexts {
  private PathTexts() {}

  static String of(String name) {
    return switch (name) {
      case "check" -> "Name of an admission check of the job's queue.";
      case "queue" -> "Name or id of a queue.";
      case "attemptId" -> "Id of an attempt, from the list of attempts of its job.";
      case "tenant" -> "Name of a tenant.";
      case "member" -> "Name of a person, or sa: and the name of a service account.";
      case "secret" -> "Name of a secret of the project.";
      case "volume" -> "Name of a volume of the project.";
      case "workdir" -> "Digest of a code archive: sha256: and 64 hexadecimal digits.";
      case "transfer" -> "Id of a transfer of the volume.";
      case "token" -> "Id of an API token, not the token itself.";
      case "gpu" -> "UUID or serial number of a GPU.";
      case "incident" -> "Id of an incident.";
      case "domainQuarantine" -> "Id of a domain quarantine.";
      case "repair" -> "Id of a repair.";
      case "campaign" -> "Id of a campaign.";
      case "legalHold" -> "Name of a legal hold: a DNS label.";
      case "healthTest" -> "Name of a health test.";
      case "healthRule" -> "XID, or name of a DCGM code, in the fault table.";
      case "frontNamespace" -> "Name of a namespace of the cluster.";
      case "reservation" -> "Id or name of an advance reservation.";
      case "price" -> "Id of a price.";
      case "pipeline" -> "Name of a pipeline, the value of the label pipeline of its jobs.";
      case "month" -> "Month in UTC, such as 2030-01.";
      case "name" -> "Name of a job.";
      case "job" -> "Id of a job, from its submit or a list of jobs.";
      default -> ParameterTexts.of(name);
    };
  }

  /** Ids are generated, so the examples for jobs, attempts and operations only show the form. */
  static @Nullable String example(String name) {
    return switch (name) {
      case "project", "queue", "quota", "tenant" -> "default";
      case "member" -> "ana";
      case "secret" -> "hub";
      case "volume" -> "training";
      case "workdir" -> "sha256:7d0c5a3f1b9e8d2c4a6f0e1d3c5b7a9f8e6d4c2b0a1f3e5d7c9b8a6f4e2d0c1b";
      case "transfer" -> "trf_01m7vxn2c4e0mtrw2g5kqy8v3d";
      case "cluster" -> "eu-1";
      case "legalHold" -> "case-7";
      case "licence" -> "ansys";
      case "cloudIdentity" -> "checkpoints";
      case "policy" -> "images";
      case "template" -> "finetune";
      case "schedule" -> "nightly";
      case "warmPool" -> "h100";
      case "pipeline" -> "night";
      case "webhook" -> "portal";
      case "service" -> "chat";
      case "serviceKey" -> "app";
      case "serviceVersion" -> "1";
      case "pool" -> "research";
      case "budget" -> "training";
      case "reservation" -> "demo-week";
      case "node" -> "eu-1-gpu-0004";
      case "gpu" -> "GPU-5f2e1c1a-8f0e-4a56-9c39-0f3c6f6f2f10";
      case "incident" -> "inc_01m7vxn2c4e0mtrw2g5kqy8v3d";
      case "domainQuarantine" -> "dqu_01m7vxn2c4e0mtrw2g5kqy8v3f";
      case "campaign" -> "cmp_01m7vxn2c4e0mtrw2g5kqy8v3f";
      case "healthTest" -> "dcgm";
      case "healthRule" -> "31";
      case "frontNamespace" -> "team-a";
      case "repair" -> "rep_01m7vxn2c4e0mtrw2g5kqy8v3f";
      case "price" -> "pri_01m7vxn2c4e0mtrw2g5kqy8v3d";
      case "month" -> "2030-01";
      case "name" -> "llama-sft";
      case "job" -> "job_01m7vxn2c4e0mtrw2g5kqy8v3d";
      case "attemptId" -> "att_01m7vxn2c4e0mtrw2g5kqy8v3d";
      case "token" -> "tok_01m7vxn2c4e0mtrw2g5kqy8v3d";
      case "operation" -> "op_01m7vxn2c4e0mtrw2g5kqy8v3d";
      default -> null;
    };
  }
}
