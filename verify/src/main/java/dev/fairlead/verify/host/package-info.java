/** Resources of a measurement: CPU and memory of processes, and the machine itself. */
@NullMarked
package dev.fairlead.verify.host;

import org.jspecify.annotations.NullMarked;
