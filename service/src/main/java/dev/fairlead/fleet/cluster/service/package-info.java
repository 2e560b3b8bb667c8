/** Use cases of clusters, nodes and capacity. */
@NullMarked
package dev.fairlead.fleet.cluster.service;

import org.jspecify.annotations.NullMarked;
