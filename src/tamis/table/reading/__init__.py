"""From a file to a `Dataset`, one file per format.

``read`` (the function is `tamis.table.read`) goes by the file's ending:

    csv      delimited text: csv_header (delimiter, names), csv_guess (some lines), csv_quick (one reading), csv_rows (row by row)
    arff     Weka's files     } relation_header (@attribute lines) and relation_rows (what stands below @data)
    keel     KEEL's .dat      }
    binary   parquet, arrow: read by polars, after guard has looked at what their metadata claim

A text comes through source (plain or compressed, and in which encoding: unpack, limits); every format gives a
RawTable (raw). Texts become numbers or categories, by their values and by what the caller said of columns (types, wishes);
what the columns and the labels then hold (facts) is accepted, noted or refused (checks, labels).
"""
