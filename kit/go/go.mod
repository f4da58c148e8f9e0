module cumulet/kit

go 1.21
