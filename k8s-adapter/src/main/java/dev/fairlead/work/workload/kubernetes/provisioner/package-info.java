/** Node provisioners that a cluster has, by ProvisioningRequest. */
@NullMarked
package dev.fairlead.work.workload.kubernetes.provisioner;

import org.jspecify.annotations.NullMarked;
