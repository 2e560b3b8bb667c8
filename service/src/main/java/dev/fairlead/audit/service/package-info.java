/** Reads the audit, and writes denials to it. */
@NullMarked
package dev.fairlead.audit.service;

import org.jspecify.annotations.NullMarked;
