/**
 * What a measurement takes from the machine: CPU and memory of processes, and the machine itself.
 */
@NullMarked
package dev.fairlead.bench.host;

import org.jspecify.annotations.NullMarked;
