"""From a file to a `Dataset`, one file per format.

``read`` (the function is `tamis.table.read`) goes by the file's ending:

    csv      delimited text: csv_header (delimiter, names), csv_guess (some lines), csv_quick (one reading), csv_rows (row by row)
    arff     Weka's files     } relation_header (@attribute lines) and relation_rows (the rows below @data)
    keel     KEEL's .dat      }
    binary   parquet, arrow: read by polars, after guard has checked what their metadata claim
    json_table, sheets, databases   JSON and JSON lines; spreadsheets; SQLite and DuckDB

Whether a file exists is asked first (existing). Text files are opened by source (compression and encoding: unpack,
limits); every format gives a RawTable (raw). Texts become numbers or categories, by their values and by what the caller
said about columns (types, wishes); then the facts about columns and labels (facts) lead to acceptance, a note or an error
(checks, labels).
"""
