/** REST endpoints of clusters, nodes and capacity. */
@NullMarked
package dev.fairlead.fleet.cluster.web;

import org.jspecify.annotations.NullMarked;
