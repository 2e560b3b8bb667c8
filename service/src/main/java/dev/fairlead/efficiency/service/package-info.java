/** Reads what attempts make of their GPUs, and says it. */
@NullMarked
package dev.fairlead.efficiency.service;

import org.jspecify.annotations.NullMarked;
