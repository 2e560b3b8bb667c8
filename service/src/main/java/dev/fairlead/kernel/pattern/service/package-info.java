/** Regular expressions by RE2. */
@NullMarked
package dev.fairlead.kernel.pattern.service;

import org.jspecify.annotations.NullMarked;
