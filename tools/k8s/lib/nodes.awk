# Prints one List of n nodes. Racks are consecutive nodes, each rack inside one block, each block inside one zone.
function label(name, value) { return sprintf(",\"%s\":\"%s\"", name, value) }

BEGIN {
  printf "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":["
  for (i = 0; i < n; i++) {
    name = sprintf("%s-%04d", prefix, i)
    rack = int(i * racks / n); block = int(rack * blocks / racks); zone = int(block * zones / blocks)
    labels = "\"sim.fairlead.dev/kubelet\":\"running\"" label("kubernetes.io/hostname", name) \
      label("kubernetes.io/os", "linux") label("kubernetes.io/arch", "amd64") \
      label("topology.kubernetes.io/region", "sim") label("topology.kubernetes.io/zone", "sim-" zone) \
      label("topology.fairlead.dev/block", sprintf("%s-b%02d", prefix, block)) \
      label("topology.fairlead.dev/rack", sprintf("%s-r%02d", prefix, rack))
    resources = sprintf("\"cpu\":\"%s\",\"memory\":\"%s\",\"ephemeral-storage\":\"4Ti\",\"pods\":\"110\"", cpus, memory)
    if (gpus > 0) {
      labels = labels label("nvidia.com/gpu.present", "true") label("nvidia.com/gpu.product", product) \
        label("nvidia.com/gpu.count", gpus) label("nvidia.com/gpu.memory", mib) label("nvidia.com/gpu.family", family) \
        label("nvidia.com/gpu.replicas", 1) label("nvidia.com/mig.strategy", "none")
      resources = resources label("nvidia.com/gpu", gpus)
    }
    printf "%s{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\",\"labels\":{%s}},", i ? "," : "", name, labels
    printf "\"status\":{\"capacity\":{%s},\"allocatable\":{%s}}}", resources, resources
  }
  print "]}"
}
