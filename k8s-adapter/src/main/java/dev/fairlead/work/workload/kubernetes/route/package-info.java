/** Routes of model services by the Gateway API. */
@NullMarked
package dev.fairlead.work.workload.kubernetes.route;

import org.jspecify.annotations.NullMarked;
