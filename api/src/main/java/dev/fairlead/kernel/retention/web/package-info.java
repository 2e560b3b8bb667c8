/** Health of retention for operators. */
@NullMarked
package dev.fairlead.kernel.retention.web;

import org.jspecify.annotations.NullMarked;
